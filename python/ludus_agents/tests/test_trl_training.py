"""TRL's GRPOTrainer trains a tiny random model in a Ludus environment. Only its tokens are scripted: they call the tool."""

import json
import re

import pytest

pytest.importorskip("trl", reason="trl is not installed")
pytest.importorskip("torch", reason="torch is not installed")

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer, chat_template_utils

from ludus_agents.trl import environment, rows

MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def tokenizer():
    """One token for each byte, and the chat template of Qwen 3."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE({piece: i for i, piece in enumerate([*MARKS, *letters])}, []))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    bytewise.add_special_tokens(MARKS)
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = chat_template_utils.qwen3_chat_template
    return made


def test_a_step_of_training(ludus_server, tmp_path, monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    torch.manual_seed(1)
    words = tokenizer()
    config = Qwen3Config(vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, head_dim=8)
    calls = []

    class Scripted(GRPOTrainer):
        def _generate_single_turn(self, prompt_ids, *_, **__):
            answers = []
            for i, ids in enumerate(prompt_ids):
                moves = re.findall(r"\[\w+\]", self.processing_class.decode(ids).rsplit("Your moves:", 1)[-1].split("\n")[0])
                over = "The episode is over" in self.processing_class.decode(ids)
                call = {"name": "act", "arguments": {"message": moves[i % len(moves)]}} if not over else None
                calls.append(call)
                text = "Done." if over else f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
                answers.append(self.processing_class(f"{text}<|im_end|>")["input_ids"])
            return answers, None

    trainer = Scripted(
        model=Qwen3ForCausalLM(config),
        processing_class=words,
        train_dataset=rows(2),
        environment_factory=environment(f"{ludus_server}/openenv/kuhn-poker", opponents="random"),
        args=GRPOConfig(
            output_dir=str(tmp_path),
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=2000,
            max_steps=1,
            logging_steps=1,
            learning_rate=0.01,
            report_to=[],
            use_cpu=True,
            bf16=False,
        ),
    )
    before = [weights.clone() for weights in trainer.model.parameters()]
    trainer.train()
    log = next(entry for entry in trainer.state.log_history if "reward" in entry)
    assert log["reward_std"] > 0
    assert any(call is not None for call in calls) and None in calls
    assert any(not torch.equal(old, new) for old, new in zip(before, trainer.model.parameters(), strict=True))
