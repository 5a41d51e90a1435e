"""Lists of references are told by the form of their entries; what only holds many names and years is none."""

from __future__ import annotations

import pytest

from core.extraction.bibliography import reference_lists
from tests.growth import assert_linear

PROSE = (
    "# Tides in narrow bays\n\nWe measured the tides of four bays for two years. The bays differ in "
    "depth. Smith and Lee "
    "(2019) found that narrow bays amplify the tide, which our gauges confirm [2]. The effect is largest "
    "in spring.\n\n"
    "The gauges were read every hour. Holm (2014) describes the same gauges. Nothing was lost but one "
    "week in March.\n\n"
) * 4

NAMED_FIRST = """\
Smith, J. and Lee, K. 2019. Tides in bays. In Proceedings of the Conference on Coasts, pp. 3-9.
Holm, M., Berg, J., and Kask, O. 2014. Reading gauges. Journal of Tides, 12(3), 45-67.
Van der Meer, P. 2001. Waves on walls. PhD thesis, University of Delft.
Müller, A.-L. (2008). Silt and sand. Coastal Letters, 4, 12-19. doi:10.1000/182.
"""
NUMBERED = """\
[1] J. Smith and K. Lee, “Tides in bays,” in *Proc. Conf. on Coasts*, 2019, pp. 3–9.
[2] M. Holm *et al.*, “Reading gauges,” *Journal of Tides*, vol. 12,
no. 3, pp. 45–67, 2014.
[3] P. van der Meer, “Waves on walls,” Ph.D. dissertation, Delft, 2001.

[4] A. Müller, “Silt and sand,” arXiv preprint arXiv:0801.00001, 2008.
"""
IN_FULL = """\
- [1] Jane Smith, Karl Lee, and Ada Poe. 2019. Tides in bays. In *Coasts '19*. ACM, 3–9.
- [2] Marta Holm. 2014. Reading gauges. *Journal of Tides* 12, 3 (2014), 45–67.
- [3] Pieter van der Meer, Ann Low, et al. 2001. Waves on walls. *CoRR* abs/0101.001 (2001).
- [4] Alma Müller and Ole Kask. 2008. Silt. *arXiv preprint arXiv:0801.00001* (2008).
"""
RUN_IN = " ".join(NAMED_FIRST.splitlines()) + "\n"


def lists(text: str) -> str:
    """What is found, joined."""
    return "\n---\n".join(text[start:end] for start, end in reference_lists(text))


@pytest.mark.parametrize(
    ("heading", "entries"),
    [
        ("", NAMED_FIRST),
        ("References\n\n", NUMBERED),
        ("## 7. Bibliography\n", IN_FULL),
        ("LITERATURE CITED\n", RUN_IN),
    ],
    ids=["named", "numbered", "full", "run in"],
)
def test_a_list_is_found_and_nothing_else(heading: str, entries: str) -> None:
    text = f"{PROSE}{heading}{entries}"
    assert lists(text) == (heading + entries).strip()
    after = f"{text}\nAppendix A. The gauges\n\nEach gauge is a pipe of two metres. It stands in the water.\n"
    assert lists(after) == (heading + entries).strip()


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "Otto Kask was born in 1871 in Riga. In 1889 he went to sea. From 1895 to 1901 he commanded the "
        "Northern Star, and "
        "in 1902 the Grey Petrel. He married Marta Holm in 1903. In 1911, after the fire, he wrote his "
        "memoirs, printed by "
        "the University Press in 1912.\n\nKask, O. died in 1930. Berg, J. wrote in the Journal of the "
        "harbour in 1931 "
        "that nobody knew the bay better.\n" * 3,
        "Register of masters\n\nKask, O. 1871-1930 Northern Star\nHolm, M. 1880-1944 Grey Petrel\nBerg, "
        "J. 1882-1951 Petrel\n"
        "Lee, K. 1890-1960 Northern Gannet\nPoe, A. 1891-1970 Sea Holly, vol. 3, p. 12\nLow, A. "
        "1899-1980 Sea Holly\n",
        "Minutes\n\n1. Present: J. Smith, K. Lee, M. Holm.\n2. The minutes of 4 May 2020 were "
        "approved.\n3. M. Holm reported on "
        "the conference of 2019.\n4. K. Lee, J. Smith and A. Poe will write to the journal by 1 June "
        "2020.\n5. The next "
        "meeting is on 3 July 2020.\n",
        "Letters\n\n[1] J. Smith to K. Lee, 4 May 1930.\n[2] K. Lee to J. Smith, 9 May 1930.\n[3] M. "
        "Holm to J. Smith, 1931.\n"
        "[4] O. Kask to M. Holm, 2 June 1932.\n[5] J. Berg to O. Kask, 3 June 1932.\n",
    ],
    ids=["prose", "life", "register", "minutes", "letters"],
)
def test_names_and_years_are_no_list_of_references(text: str) -> None:
    assert reference_lists(text) == ()


def test_a_document_that_is_nothing_but_a_list_has_none() -> None:
    assert reference_lists(f"References\n\n{NUMBERED}") == ()


@pytest.mark.long
def test_a_text_of_headings_or_of_signs_is_read_in_one_pass() -> None:
    for text in ("References\n" * 8_000, "[" * 20_000 + "Proceedings journal " + "A. " * 20_000 + "\n"):
        assert reference_lists(text) == ()
        assert_linear(reference_lists, text)
