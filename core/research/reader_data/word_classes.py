"""Small closed classes of English words that questions are made with."""

# Nouns that name a person, of whom one asks who.
HUMAN = frozenset(
    """
    aunt author boy brother captain child daughter director doctor employee everyone father friend
    gentleman girl husband king lady man member mother officer people person president queen sister son
    team uncle user wife woman
    """.split()
)
# Words that point at what only the passage tells.
VAGUE = frozenset(
    """
    all another any anyone anything bit both each everything former here it latter lot none nothing one
    ones other others same so some someone something such that there these thing this those way what
    which who whom
    """.split()
)
THIRD = frozenset(
    """
    he her herself him himself his its itself she their them themselves they
    """.split()
)
# Verbs before a quotation.
SAYING = frozenset(
    """
    add answer ask continue cry exclaim observe reply say think
    """.split()
)
# Verbs whose clause is what matters.
OPINING = frozenset(
    """
    agree believe bet feel guess hope know mean say suppose think wonder
    """.split()
)
# Adverbs that tie a sentence to the one before it.
CONNECTING = frozenset(
    """
    actually also anyway apparently even hence however indeed just maybe moreover only perhaps really so
    still then therefore though thus too well
    """.split()
)
