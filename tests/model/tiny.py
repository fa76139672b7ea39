"""Small models of real families with random weights, as folders that `mlx_lm.load` opens offline."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("MLX_DISABLE_COMPILE", "1")

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if loop.first and tools %}{% for t in tools %}{{ t | tojson }}\n{% endfor %}{% endif %}"
    "{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
VOCAB = 512
BASE = {
    "vocab_size": VOCAB, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "rms_norm_eps": 1e-5,
    "max_position_embeddings": 4096, "rope_theta": 10000.0, "tie_word_embeddings": True,
}  # fmt: skip
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {},
    "gemma3_text": {
        "sliding_window": 48, "sliding_window_pattern": 2, "query_pre_attn_scalar": 64,
        "rope_local_base_freq": 10000.0, "rope_global_base_freq": 1e6,
    },
    "deepseek_v2": {
        "num_key_value_heads": 4, "moe_intermediate_size": 32, "n_shared_experts": 1, "n_routed_experts": 4,
        "routed_scaling_factor": 1.0, "kv_lora_rank": 32, "q_lora_rank": None, "qk_rope_head_dim": 16,
        "v_head_dim": 16, "qk_nope_head_dim": 16, "topk_method": "gready", "num_experts_per_tok": 2,
        "moe_layer_freq": 1, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
        "rope_scaling": {
            "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024, "beta_fast": 32,
            "beta_slow": 1, "mscale": 0.7, "mscale_all_dim": 0.7,
        },
    },
    "mamba2": {
        "num_heads": 8, "head_dim": 16, "state_size": 16, "conv_kernel": 4, "n_groups": 1, "expand": 2,
        "layer_norm_epsilon": 1e-5, "use_bias": False, "use_conv_bias": True, "time_step_limit": [0.0, 100.0],
        "time_step_rank": "auto", "ssm_state_size": 16, "residual_in_fp32": True, "time_step_min": 0.001,
        "time_step_max": 0.1,
    },
    "qwen3_next": {
        "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 32,
        "linear_value_head_dim": 32, "linear_conv_kernel_dim": 4, "num_experts": 0, "num_experts_per_tok": 1,
        "decoder_sparse_step": 1, "shared_expert_intermediate_size": 32, "mlp_only_layers": [],
        "moe_intermediate_size": 32, "partial_rotary_factor": 0.25, "full_attention_interval": 4,
        "norm_topk_prob": True,
    },
    "falcon_h1": {
        "mamba_d_ssm": 64, "mamba_d_head": 16, "mamba_n_heads": 4, "mamba_d_state": 16, "mamba_chunk_size": 32,
    },
}  # fmt: skip
WORDS = (
    "the deploy script reads its region from staging and every release goes through a smoke suite before it is "
    "tagged use ruff not black keep functions short database port number service client answer question memory"
).split()


def make(folder: Path, family: str = "llama", seed: int = 0, **changes: Any) -> str:
    """Write a model folder and return its path."""
    import mlx.core as mx
    from mlx.utils import tree_flatten

    folder.mkdir(parents=True)
    config = {"model_type": family, **BASE, **FAMILIES[family], **changes}
    module = importlib.import_module(f"mlx_lm.models.{family}")
    mx.random.seed(seed)
    model = module.Model(module.ModelArgs.from_dict(config))
    weights = {k: _spread(k, v) for k, v in tree_flatten(model.parameters())}
    mx.eval(weights)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    (folder / "config.json").write_text(json.dumps({**config, "eos_token_id": 0}))
    _tokenizer(folder)
    return str(folder)


def _spread(name: str, value: Any) -> Any:
    """Random matrices, but larger, so that answers depend on every token of the prompt; and none that ends early.

    The row of the token that ends an answer is zero: greedily it is never the likeliest of 512.
    """
    if value.ndim >= 2 and "conv" not in name:
        value = value * 3.0
    if value.ndim == 2 and value.shape[0] == VOCAB:
        value[0] = 0.0
    return value


def _tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator([" ".join(WORDS)] * 4, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|endoftext|>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(str(folder))
