"""Questions over tables: exact where every word is explained, nothing at all elsewhere."""

from __future__ import annotations

import pytest

from core.answering.table_answers import best_reading
from core.answering.tables.result import TableResult
from core.answering.tables.typed import TypedTable, typed
from core.ingest.markup import read_html
from core.ingest.sheets import read_csv
from core.text.cell_values import date_of, number_of

REGISTER = """Mark,Owner,Type,Built,Seats,Price EUR,Registered,Home base
LN-ABA,Hansen Air AS,Piper PA-28,1979,4,"45,000",2001-05-12,Kjevik
LN-ABB,Vestfly,Cessna 172,1985,4,"52,500",1999-01-30,Bergen
LN-ABC,Hansen Air AS,Cessna 172,1990,4,"61,000",2010-07-01,Bergen
LN-ABD,Fjord Helicopters,Bell 206,2001,5,"310,000",2003-09-14,Tromsø
LN-ABE,Vestfly,Piper PA-28,1982,4,"39,900",1999-11-02,Kjevik
LN-ABF,Nordic Gliders,ASK 21,1995,2,"28,000",1995-06-06,Bergen
"""


@pytest.fixture(scope="module")
def register() -> TypedTable:
    reading = read_csv(REGISTER, "aircraft register")
    return typed(reading.tables[0], reading.text)


def answer(question: str, *tables: TypedTable) -> TableResult | None:
    found = best_reading(question, [("id", ["Aircraft register"], table) for table in tables])
    return found.result if found else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the owner of LN-ABB?", "Vestfly"),
        ("When was LN-ABE registered?", "1999-11-02"),
        ("What is the home base of the ASK 21?", "Bergen"),
        ("How many aircraft does Vestfly own?", "2"),
        ("How many aircraft were registered in 1999?", "2"),
        ("How many aircraft registered after 2002 are based in Bergen?", "1"),
        ("How many aircraft were built between 1980 and 1990?", "3"),
        ("How many aircraft are in the register?", "6"),
        ("What is the average price in EUR of the Piper PA-28?", "42,450"),
        ("Which aircraft has the highest price?", "LN-ABD"),
        ("Which aircraft cost more than 50,000 EUR?", "LN-ABB, LN-ABC, LN-ABD"),
        ("count the rows where seats = 4", "4"),
        ("add up the price eur for home base bergen", "141,500"),
        ("ln-abf's owner", "Nordic Gliders"),
    ],
)
def test_what_is_asked_is_answered(question: str, expected: str, register: TypedTable) -> None:
    found = answer(question, register)
    assert found is not None
    assert found.text == expected
    assert found.cells


def test_what_the_table_does_not_hold_is_not_answered(register: TypedTable) -> None:
    questions = (
        "Who is the pilot of LN-ABC?", "How many passengers flew with Vestfly?", "Who owns LN-XYZ?", "",
        "How many Danish aircraft are listed?", "Why was LN-ABA sold?", "What is the sum of Owner?",
    )  # fmt: skip
    assert [question for question in questions if answer(question, register) is not None] == []


NUMBERS = {
    "1,250.50 EUR": 1250.5, "1.250,50": 1250.5, "(3.4)": -3.4, "−7": -7.0, "1'000": 1000.0, "1 250 000": 1250000.0,
    "1.5e-3": 0.0015, ".5": 0.5, "-$5": -5.0, "22%": 22.0, "12 March": None, "LN-ABA": None, "": None, "1.2.3": None,
}  # fmt: skip


def test_numbers_and_dates_as_people_write_them() -> None:
    assert {text: number_of(text) for text in NUMBERS} == NUMBERS
    dates = ("2001-05-12", "12.05.2001", "12 May 2001", "May 12, 2001")
    assert {str(date_of(text)) for text in dates} == {"2001-05-12"}
    assert date_of("no date 5") is None


@pytest.mark.parametrize(
    ("rows", "question", "expected"),
    [
        ("Stadt;Umsatz\nBonn;1.250,50\nKöln;2.000,00\nTrier;12,5", "sum of umsatz", "3,263.00"),
        ("city;takings\nBonn;1.250.000\nKöln;2.500\nTrier;300", "What is the total takings?", "1,252,800"),
        ("city;mass\nBonn;12 kg\nKöln;3 kg\nTrier;1 kg", "total mass", "16"),
        ("city;odds\nBonn;--\nKöln;3\nTrier;--\nGent;4", "how many rows have the odds --", "2"),
        ("city;opened\nBonn;3/25/2021\nKöln;4/2/2021\nTrier;5/1/2020", "how many opened after April 1, 2021?", "1"),
        ("Ort;Datum\nBonn;3. März 2021\nKöln;1. Mai 2020\nTrier;2. Juni 2021", "how many with datum after 2020", "2"),
        ("state;pop\nIN;3\nOR;4\nME;5", "pop of OR", "4"),
        ("state;2020;2021\nOhio;3;4\nUtah;5;6", "what is the 2021 of ohio", "4"),
    ],
)  # fmt: skip
def test_tables_as_people_write_them(rows: str, question: str, expected: str) -> None:
    reading = read_csv(rows + "\n", "places")
    found = answer(question, typed(reading.tables[0], reading.text))
    assert found is not None
    assert found.text == expected


@pytest.mark.parametrize(
    ("rows", "question", "expected"),
    [
        ("Day,Firm,Fee\n2020-01-02,Rask,10\n2020-01-09,Dorn,25\n2020-02-01,Rask,15\nTotal,,50", "sum of fee", "50"),
        ("Hand,Fee\nAda,10\nBo,25\nCy,15\nSumme,50\nMittelwert,16.67", "How many hands are there?", "3"),
        ("Hand,Port,Fee\nAda,Kiel,10\nBo,Kiel,25\nKiel total,,35\nCy,Bonn,15\nDi,Bonn,9\nBonn total,,24\nTotal,,59",
         "sum of fee", "59"),
        ("Hand,Fee,Left\nDeck,,\nAda,10,1990\nBo,25,1991\nHold,,\nCy,15,1992", "How many hands are there?", "3"),
        ("Part,Rate\nbolt,7.5%\nnut,2.5%", "sum of rate", "10.0%"),
        ("Hand,Fee\nAda,10\nBo,25\nCy,15", "Which hand has the highest fee?", "Bo"),
        ("Load,Bales\nrice,12\nsalt,13\ntea,18", "How many bales?", "43"),
        (",Spring,Autumn\nHerring,12,30\nCod,5,9\nTotal,17,39", "What is the cod in autumn?", "9"),
        ("Room,Guest,Nights\n101,Rask,3\n102,,\n103,Dorn,2\n105,Lie,1", "How many nights?", "6"),
        ("Payee,Fee,Unit\nRask,10,EUR\nDorn,25,CHF\nRask,15,EUR", "sum of fee with the unit EUR", "25"),
        ("Ship,Crew\nGull,12[1]\nTern,9*\nAuk,7", "How many crew are there?", "28"),
        # Totals above, and rows called by the name of their column.
        ("Quay,Barrels\nAll quays,95\nEast,40\nWest,35\nNorth,20", "How many quays are there?", "3"),
        ("Quay,Barrels\nTotal,95\nEast,40\nWest,35\nNorth,20", "How many barrels?", "95"),
        ("Hand,Age\nRask,40\nDorn,40\nhand of Lie,40\nVik,41", "How many hands are there?", "4"),
        ("Voice,Singer\nalto,Mara Lie\nbass,Olav Vik\nbass,-\nalto,Una Moe\nbass,—", "How many singers?", "3"),
        ("Ward,Nurse\nA,Ada Rask\nA,Bo Dorn\nB,Cy Lie", "Which nurse is in ward A?", "Ada Rask, Bo Dorn"),
        ("Hand,Port\n\"Moe, Ada\",Kiel\n\"Lie, Bo\",Bonn\n\"Vik, Cy\",Kiel", "How many hands?", "3"),
    ],
)  # fmt: skip
def test_what_is_sure(rows: str, question: str, expected: str) -> None:
    found = answer(question, *_tables(rows))
    assert found is not None and (found.text, found.doubt) == (expected, "")


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        ("Town,Reeve\nBrede,Ada\nMarran,Bo", "How many inhabitants does Brede have?"),
        ("Load,Owner\nrice,Ada\nsalt,Ada\ntea,Cy", "How many tonnes does Ada have?"),
        ("Asked of the Gull,See the record of port calls\nWind,Log\nFuel,No", "How many ports did the Gull call at?"),
        ("Bill,State\nB1,paid\nB2,open\nB3,paid", "Which bill is not paid?"),
    ],
)  # fmt: skip
def test_rows_are_counted_only_where_they_are_what_is_asked(rows: str, question: str) -> None:
    assert answer(question, *_tables(rows)) is None


def test_rows_that_nothing_says_to_be_what_is_counted_are_not_sure() -> None:
    found = answer("How many cases does Ada have?", *_tables("Load,Owner\nrice,Ada\nsalt,Ada\ntea,Cy"))
    assert found is not None and found.text == "2" and found.doubt


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        ("Load,Bales\nrice,1-12\nsalt,13-20\ntea,21-38", "How many bales?"),
        ("Load,Bales\nrice,12\nsalt,about 20\ntea,18\njute,4\noil,5\ncoal,9", "How many loads have bales above 10?"),
        ("Load,Fee\nrice,€12\nsalt,$20\ntea,€18", "sum of fee"),
        ("Load,Fee\nrice,1.250\nsalt,2.500\ntea,3.100", "sum of fee"),
        ("Load,Fee\nrice,100\nsalt,250\ntea,150\nAlles,500", "sum of fee"),
        ("Hand,Fee\nTotal,7\nBo,25\nCy,15", "sum of fee"),
        ("Hand,Port\nAda,Kiel\nBo,Bonn\n\nPier,Lamp\nEast,Oil", "How many hands are there?"),
        ("Load,Owner\nrice,Ada and Bo\nsalt,Ada\ntea,Cy", "How many owners are there?"),
        ("Hand,Fee,,Crane,Lift\nAda,10,,C1,7\nBo,25,,C2,9", "Which hand has the highest lift?"),
        ("Firm,Fee\nRask,10\nDorn,16\nRask,15", "Which firm has the highest fee?"),
        ("Ship,Gull,Tern,Auk\nPort,Kiel,Bonn,Kiel\nCrew,4,7,9", "How many ships are there?"),
        ("Hand,Fee\nAda,10\nBo,25\n\n\nHand,Fee\nCy,15\nDi,20", "sum of fee"),
        # Incomes and expenses, goods and freight: parts that nothing adds up.
        (",May,June\nTolls,120,130\nRents,40,45\nTotal in,160,175\nWages,90,95\nOil,12,14\nTotal out,102"
         ",109\nLeft,58,66",
         "sum of May"),
        ("Goods,Price\noars,12\nnets,30\nropes,8\n,\nFreight,\nKiel,5\nBonn,9", "How many goods are there?"),
        ("Payee,Fee,Unit\nRask,10,EUR\nDorn,25,CHF\nRask,15,EUR", "sum of fee"),
        ("Month,Guests\nMay,120\nJune,98\nJuly,153\nQ1,371\nApril,161\nMarch,170\nFall,95\nQ2,426", "sum of guests"),
        ("Room,Guest,Nights\n101,Rask,3\n102,,\n103,Dorn,2\n105,Lie,1", "How many rooms are there?"),
        ("Deck,Room,Guest\nA,11,Rask\nA,12,Dorn\nB,13,Lie\nB,14,Vik", "How many rooms are there?"),
        # What is named once is not counted, and what the question says is no answer.
        ("No,Goods,Pieces\n1,oars,40\n2,nets,12\n3,ropes,8", "How many oars?"),
        # Sums above what they are of, unlike any record, and a record that is the sum of two others by chance.
        ("Bench,Grant\nEverybody,900\nDocks,300\nMills,250\nFarms,350", "sum of grant"),
        ("Quay,Barrels\nQuay of Lie,50\nAden,30\nBari,20", "How many barrels?"),
        # Rows that may stand for several things, cells that say who is not there, lists, running totals, gaps.
        ("Goods,Shed,Pieces\noar,A,40\noar,B,25\nnet,A,10", "How many oars?"),
        ("Room,Guest\n1,Ada Rask\n2,free\n3,Bo Dorn\n4,free\n5,Cy Lie", "How many guests?"),
        ("Trip,Days\nKiel,12\nBonn,9\nOslo,15\nMean,12\nMax,15\nMin,9", "How many trips?"),
        ("Year,Guests\n2019,100\n2020,40\n2021,60", "What is the sum of the years?"),
        ("Goods,Shed\noar,7\nnet,4\nrope,7\nsail,4\nmast,7", "How many sheds are there?"),
        ("Crew,Hands\nMates,140\nof these ashore,30\nCooks,20\nof these ashore,5", "How many hands are there?"),
        ("Boat,Crew\nGull,\"Ada Rask, Bo Dorn, Cy Lie\"\nTern,\"Di Vik, Eva Moe\"\nAuk,Finn Aas", "How many crew?"),
        ("Month,Rain,So far\nMay,50,50\nJune,30,80\nJuly,45,125", "sum of so far"),
        ("Hall,Usher,Guests\nA,Ada,22\n,Bo,18\nB,Cy,25", "How many guests are in hall A?"),
        ("Day,Out,In,Left\nMay 1,,,100\nMay 5,30,,70\nMay 9,,50,120\nMay 12,20,,100", "sum of left"),
        ("Asked,Reply,Heads\nfishes,yes,40\nfishes,no,60\nsails,yes,70\nsails,no,30", "How many replied yes?"),
        ("No,Claim,State\n1,noise,open\n2,smell,shut\n3,noise,shut\n4,dust,open", "How many claims are there?"),
        ("What,Value\nRent of the mill,CHF 410.50\nRate,7.5%\nLoss,(320)", "What is the rent of the mill?"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_not_sure(rows: str, question: str) -> None:
    found = answer(question, *_tables(rows))
    assert found is None or found.doubt


@pytest.mark.parametrize(
    ("rows", "question", "expected"),
    [
        ("Goods,Shed,Pieces\noar,A,40\noar,B,25\nnet,A,10", "How many oars?", "65"),
        ("Room,Guest\n1,Ada Rask\n2,free\n3,Bo Dorn\n4,free\n5,Cy Lie", "How many guests?", "3"),
        (
            'Boat,Crew\nGull,"Ada Rask, Bo Dorn, Cy Lie"\nTern,"Di Vik, Eva Moe"\nAuk,Finn Aas',
            "How many crew?",
            "6",
        ),
        ("Goods,Amount,Measure\nsalt,12,sack\ntea,30,box\nsalt,5,sack", "How many sacks of salt?", "17"),
        ("Shelf,Boxes\nA,1-12\nB,13-20\nC,21-44", "How many boxes?", "44"),
    ],
)
def test_what_is_likeliest_where_it_is_not_certain(rows: str, question: str, expected: str) -> None:
    found = answer(question, *_tables(rows))
    assert found is not None and found.doubt and found.text == expected


@pytest.mark.parametrize(
    ("rows", "question", "expected"),
    [
        ("Egg,Eggs\nbrown,310\nwhite,275", "How many eggs are there?", "585"),
        ("Nest,Egger\nN1,Ada\nN2,Bo\nN3,Ada", "How many eggers are there?", "2"),
        ("No,Egg,State\n1,brown,whole\n2,white,broken\n3,brown,whole", "How many eggs are there?", "3"),
        ("Egg,Weight\nbrown,50\nwhite,48\nbrown,55", "How many eggs are there?", None),  # rows, or kinds
        ("Day,Eggs in,Eggs out\nMay 1,3,2\nMay 2,4,4", "How many eggs are there?", None),
    ],
)
def test_a_table_that_is_called_as_its_columns_are(rows: str, question: str, expected: str | None) -> None:
    (table,) = _tables(rows)
    found = best_reading(question, [("id", ["Eggs"], table)])
    assert (found and (found.result.text, found.result.doubt)) == (expected and (expected, ""))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which year had the most herring?", "2021"),
        ("herring of 2022", "275.5"),
        ("Which port had the most herring?", None),
    ],
)
def test_labels_of_rows_in_a_column_without_a_name(question: str, expected: str | None) -> None:
    rows = "".join(
        f"<tr><td>{year}</td><td>{tons}</td></tr>" for year, tons in ((2021, 310), (2022, 275.5), (2023, 290))
    )
    reading = read_html(f"<table><tr><th></th><th>Herring</th></tr>{rows}</table>")
    found = best_reading(question, [("id", ["Catch by year"], typed(reading.tables[0], reading.text))])
    assert (None if found is None else found.result.text) == expected


def _tables(rows: str) -> list[TypedTable]:
    reading = read_csv(rows + "\n", "places")
    return [typed(table, reading.text) for table in reading.tables]
