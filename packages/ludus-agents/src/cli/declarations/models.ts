/** @file Declares the options, help, and examples of `ludus models`. */

import { type CommandDeclaration, examples, withJson } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const models: CommandDeclaration = {
  declare(command) {
    command.argument(
      '[names...]',
      'models to ask one short question; or "test MODEL" to measure one, "pull MODEL" to download one, "setup RUNTIME" to install llama, onnx, or minilm; without names, list what is reachable',
    );
    command.option(...flag('yes'));
    withJson(withModelOptions(withSpending(command)));
    examples(command, {
      'ludus models': 'list models that are configured and reachable',
      'ludus models fake openai/gpt-5-mini': 'ask each model one question; fake is built in and answers at random',
      'ludus models test ./model.gguf': 'measure its speed, context size, and output constraints',
      'ludus models pull': 'small models you can download by name',
      'ludus models pull qwen3-0.6b': 'download one and make it the default',
      'ludus models pull hf:user/repo:Q4_K_M': 'any GGUF file from the hub, or from the mirror at HF_ENDPOINT',
      'ludus models setup': 'list the runtimes that are installed on request',
      'ludus models setup llama': 'install node-llama-cpp, which runs GGUF files',
      'ludus models setup onnx --yes': 'install onnxruntime-node without asking',
      'ludus models setup minilm': 'install a sentence encoder: recall by meaning',
      'ludus models --json': 'as JSON',
    });
  },

  load: async () => (await import('../commands/models.ts')).models,
};
