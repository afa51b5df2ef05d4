/** @file What `ludus serve proxy` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { withRecording, withServeOptions } from '../../server-options.ts';
import { withSpending } from '../../spending.ts';

export const proxy: CommandDeclaration = {
  declare(command) {
    withSpending(withRecording(withServeOptions(command, 8080)));
    examples(command, {
      'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'programs set OPENAI_BASE_URL=http://127.0.0.1:8080/v1',
      'ludus serve proxy': 'only our own models: "persona/innkeeper", "local/RUN@best"',
      'ludus serve proxy --model tinker:http://127.0.0.1:8000#tinyllama':
        'a model of a training server, or a GGUF file, as an OpenAI-like endpoint',
      'ludus serve proxy --character openai/gpt-5-mini --persona iago.png':
        'characters played by a model, one of them from a card: "persona/iago"',
      'ludus serve proxy --upstream URL --max-cost 5': 'refuse calls that could cost more',
      'ludus data export --format trl-sft --run proxy -o dataset': 'export the recorded calls as training data',
    });
  },

  load: async () => (await import('../../commands/serve/proxy.ts')).proxy,
};
