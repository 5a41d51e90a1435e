"""A sentence-transformers folder with random weights: a real one, of 20 dimensions and a window of 48 tokens."""

from __future__ import annotations

import json
from pathlib import Path

DIMENSION = 20
WINDOW = 48
PROMPTS = {"query": "query: ", "passage": "passage: "}


def make_encoder(folder: Path, seed: int = 3, prompts: dict[str, str] = PROMPTS) -> Path:
    """Its vocabulary is letters and their pairs, so that it reads every Latin text."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    bare = folder.with_name(f"{folder.name} bare")
    bare.mkdir(parents=True)
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [one + other for one in letters for other in letters]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *pairs, *"0123456789.,:?"]
    words += [f"##{word}" for word in (*letters, *pairs, *"0123456789")]
    (bare / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(seed)
    settings = BertConfig(
        vocab_size=len(words),
        hidden_size=DIMENSION,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
    )
    BertModel(settings).save_pretrained(bare)
    BertTokenizer(str(bare / "vocab.txt")).save_pretrained(bare)
    transformer = Transformer(str(bare), max_seq_length=WINDOW)
    model = SentenceTransformer(modules=[transformer, Pooling(DIMENSION)], prompts=prompts, device="cpu")
    model.save(str(folder), create_model_card=False)
    assert json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    return folder
