"""The records that cross room borders: frozen, without behaviour, named as on screen.

Offsets (`start`, `end`) are counted in characters (Python code points), half open, and always
refer to the text of the record that is named: a passage's offsets lie in its document's text, a
mention's and a triple's in its passage's text, a citation's in its document's text.

All that is imported here is handed on: pyproject.toml says so to ruff and mypy.
"""

from core.types.anatomy import Anatomy, ModelReply, ParsedSentence, ParsedToken, Reference, Rejected
from core.types.answers import (
    EVERYTHING,
    LISTS_CALLED,
    Alternative,
    Answer,
    AnswerStep,
    Beam,
    Brought,
    Citation,
    CitedCommunity,
    Complexity,
    Contradiction,
    Evidence,
    FactPath,
    PathStep,
    Retrieval,
    Route,
    Scope,
    Seed,
    Trace,
    Way,
    Why,
    check_words,
    model_words,
)
from core.types.changes import Changed, Changes, WatchNews, WatchState
from core.types.communities import (
    Community,
    CommunityQuality,
    CommunityReport,
    DatedFact,
    DocumentShare,
    KeyEntity,
    KeyFact,
    ModelWriting,
    Statement,
    Written,
)
from core.types.edges import (
    EDGE_KINDS,
    EDGES_CALLED,
    CommonPlace,
    DerivedEdge,
    DerivedEdges,
    EdgeSource,
)
from core.types.generation import (
    Claim,
    Finish,
    Generation,
    LeftOut,
    Message,
    Role,
    Round,
    Structured,
    Usage,
    Validation,
    Verdict,
)
from core.types.graph_shape import GraphColumns, GraphFilter, GraphShape, SavedView
from core.types.judged import (
    Bin,
    ExplanationSums,
    JudgedAnswer,
    JudgedExplanation,
    JudgedPlace,
    Reliability,
)
from core.types.kinds import assertion_words, kind_words
from core.types.knowledge import (
    NAME_CHANGES,
    Assertion,
    Confirmed,
    Entity,
    ExtractedMention,
    Extraction,
    Fact,
    FactChange,
    FactSummary,
    Mention,
    Modality,
    NameChange,
    NameMerge,
    NamePreview,
    Triple,
)
from core.types.lab import (
    DistilledWay,
    IntegratorWish,
    LabComposition,
    LabFlow,
    LabPart,
    LabPassage,
    LabPath,
    LabRun,
    LabStep,
    LabWish,
    QuestionComparison,
    TrainedIntegrator,
    TrainingStep,
)
from core.types.misses import (
    Miss,
    MissChange,
    MissMark,
    MissPins,
    MissStage,
    MissStep,
    MissTrial,
    PassageRanks,
    ReaderView,
    StepState,
)
from core.types.models import (
    Estimate,
    ExtractionComparison,
    ModelCheck,
    ModelInfo,
    ModelServer,
    ModelWork,
    Trial,
    TripleChange,
)
from core.types.pins import (
    AffectedPin,
    Pin,
    PinChange,
    PinComparison,
    PinPassage,
    PinResult,
    PinRun,
    SinceRun,
    TunedBar,
    TunedSetting,
    Tuning,
)
from core.types.ranking_session import (
    Attributed,
    ListRank,
    Ranking,
    RankingRecord,
    Source,
)
from core.types.reading import (
    FACTS_READ_IN,
    NOT_READ,
    Block,
    BlockKind,
    Boxes,
    Document,
    DocumentTable,
    LoadedDocument,
    LoadedPart,
    Notice,
    NoticeKind,
    Page,
    PagePicture,
    Passage,
    Region,
    Sentence,
    State,
    context_line,
)
from core.types.review import (
    POLICIES,
    CandidateFact,
    Decision,
    FactFilter,
    FactWords,
    Policy,
    ReviewAct,
    StatedFact,
)
from core.types.stages import Feature, Hit, PassageLabel, ScopeCoverage, ScopePart, Stage, StageData
from core.types.timeline import DayRows, InTime, Timeline
from core.types.traces import (
    CommonLayout,
    PassageChange,
    RankedTwice,
    SavedTrace,
    SeedChange,
    SideBySide,
    StageChange,
    TraceComparison,
    WeightChange,
)
from core.types.trust import ModelHost, Origin
from core.types.views import (
    Backup,
    Check,
    DocumentListing,
    DocumentRow,
    Exported,
    FactPaths,
    Failure,
    Foldable,
    FoldedView,
    GraphView,
    Growth,
    NameRow,
    Relation,
    Removal,
    SearchResult,
    Spot,
    Status,
)
