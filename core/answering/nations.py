"""Countries and the words for their people, so that 'American' and 'United States' are one answer."""

from __future__ import annotations

_ROWS = """
Afghanistan:Afghan Albania:Albanian Algeria:Algerian Angola:Angolan Argentina:Argentine,Argentinian,Argentinean
Armenia:Armenian Australia:Australian Austria:Austrian Azerbaijan:Azerbaijani Bahamas:Bahamian Bahrain:Bahraini
Bangladesh:Bangladeshi Barbados:Barbadian Belarus:Belarusian Belgium:Belgian Belize:Belizean Benin:Beninese
Bhutan:Bhutanese Bolivia:Bolivian Bosnia_and_Herzegovina:Bosnian,Bosnia Botswana:Botswanan Brazil:Brazilian
Bulgaria:Bulgarian Burundi:Burundian Cambodia:Cambodian Cameroon:Cameroonian Canada:Canadian Chad:Chadian
Chile:Chilean China:Chinese,People's_Republic_of_China Colombia:Colombian Congo:Congolese Costa_Rica:Costa_Rican
Croatia:Croatian Cuba:Cuban Cyprus:Cypriot Czech_Republic:Czech,Czechia Czechoslovakia:Czechoslovak Denmark:Danish,Dane
Dominican_Republic:Dominican Ecuador:Ecuadorian Egypt:Egyptian El_Salvador:Salvadoran England:English Eritrea:Eritrean
Estonia:Estonian Ethiopia:Ethiopian Fiji:Fijian Finland:Finnish,Finn France:French Gabon:Gabonese Georgia:Georgian
Germany:German,West_Germany,East_Germany Ghana:Ghanaian Greece:Greek Grenada:Grenadian Guatemala:Guatemalan
Guinea:Guinean Guyana:Guyanese Haiti:Haitian Honduras:Honduran Hong_Kong:Hongkonger Hungary:Hungarian
Iceland:Icelandic,Icelander India:Indian Indonesia:Indonesian Iran:Iranian,Persian Iraq:Iraqi
Ireland:Irish,Republic_of_Ireland Israel:Israeli Italy:Italian Ivory_Coast:Ivorian Jamaica:Jamaican Japan:Japanese
Jordan:Jordanian Kazakhstan:Kazakh,Kazakhstani Kenya:Kenyan Kosovo:Kosovan Kuwait:Kuwaiti Kyrgyzstan:Kyrgyz Laos:Laotian
Latvia:Latvian Lebanon:Lebanese Lesotho:Basotho Liberia:Liberian Libya:Libyan Liechtenstein:Liechtensteiner
Lithuania:Lithuanian Luxembourg:Luxembourgish Madagascar:Malagasy Malawi:Malawian Malaysia:Malaysian Maldives:Maldivian
Mali:Malian Malta:Maltese Mauritania:Mauritanian Mauritius:Mauritian Mexico:Mexican Moldova:Moldovan Monaco:Monegasque
Mongolia:Mongolian Montenegro:Montenegrin Morocco:Moroccan Mozambique:Mozambican Myanmar:Burmese,Burma Namibia:Namibian
Nepal:Nepali,Nepalese Netherlands:Dutch,Holland New_Zealand:New_Zealander Nicaragua:Nicaraguan Niger:Nigerien
Nigeria:Nigerian North_Korea:North_Korean North_Macedonia:Macedonian,Macedonia Norway:Norwegian Oman:Omani
Pakistan:Pakistani Palestine:Palestinian Panama:Panamanian Papua_New_Guinea:Papuan Paraguay:Paraguayan Peru:Peruvian
Philippines:Filipino,Philippine Poland:Polish,Pole Portugal:Portuguese Prussia:Prussian Puerto_Rico:Puerto_Rican
Qatar:Qatari Romania:Romanian Russia:Russian,Russian_Empire,Russian_Federation Rwanda:Rwandan Samoa:Samoan
Saudi_Arabia:Saudi,Saudi_Arabian Scotland:Scottish,Scots Senegal:Senegalese Serbia:Serbian Sierra_Leone:Sierra_Leonean
Singapore:Singaporean Slovakia:Slovak Slovenia:Slovenian,Slovene Somalia:Somali South_Africa:South_African
South_Korea:South_Korean,Korean Soviet_Union:Soviet,USSR Spain:Spanish,Spaniard Sri_Lanka:Sri_Lankan Sudan:Sudanese
Suriname:Surinamese Sweden:Swedish,Swede Switzerland:Swiss Syria:Syrian Taiwan:Taiwanese Tajikistan:Tajik
Tanzania:Tanzanian Thailand:Thai Togo:Togolese Tonga:Tongan Trinidad_and_Tobago:Trinidadian Tunisia:Tunisian
Turkey:Turkish,Turk,Ottoman,Ottoman_Empire Turkmenistan:Turkmen Uganda:Ugandan Ukraine:Ukrainian
United_Arab_Emirates:Emirati,UAE United_Kingdom:British,Briton,UK,U.K.,Great_Britain,Britain
United_States:American,USA,US,U.S,U.S.,U.S.A,United_States_of_America,America Uruguay:Uruguayan Uzbekistan:Uzbek
Vatican_City:Vatican Venezuela:Venezuelan Vietnam:Vietnamese Wales:Welsh Yemen:Yemeni Yugoslavia:Yugoslav,Yugoslavian
Zambia:Zambian Zimbabwe:Zimbabwean
"""


def _table() -> dict[str, str]:
    rows: dict[str, str] = {}
    for row in _ROWS.split():
        country, _, people = row.partition(":")
        key = country.replace("_", " ").casefold()
        for word in (country, *people.split(",")):
            rows[word.replace("_", " ").casefold()] = key
    return rows


_COUNTRY = _table()
_NAMES = {c.casefold(): c for c in (row.partition(":")[0].replace("_", " ") for row in _ROWS.split())}


def country_of(key: str) -> str | None:
    """The country's own key for a name or a people's word ('american' -> 'united states'), or None."""
    return _COUNTRY.get(key.removeprefix("the "))


def is_country(key: str) -> bool:
    """Whether the key is a country's own name."""
    return key in _NAMES


def country_name(key: str) -> str | None:
    """The country as it is written, for a country's or a people's key; None when it is neither."""
    country = country_of(key)
    return None if country is None else _NAMES[country]
