/** @file `ludus improve digests`: learns which passages of long results to show an agent, and measures the gain on unseen cases. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import type { DigestFigures } from '@ludus-agents/learning/internal/expansion';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { digests as teachDigests } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly agent: string;
  readonly output: string;
  readonly seed: number;
  readonly json?: boolean;
}

export const digests: CommandRun<Options> = {
  async run({ args: [cases = ''], options, terminal }) {
    const { agent, output, seed, json } = options;
    const { spec, ...learned } = await teachDigests({ agent, cases, seed }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, output), `${JSON.stringify(spec, null, 1)}\n`);
    if (json === true) printJson(terminal, { file: output, ...learned });
    else {
      const { cases, tested, expansion, rule, difference } = learned;
      const percent = (value: number) => `${(100 * value).toFixed(0)}%`;
      const line = ({ shown, characters }: DigestFigures) => `answer shown in ${percent(shown)}, ${Math.round(characters)} characters`;
      print(terminal, `${output}: ${spec.name} with a policy from ${count(cases, 'case')}, by ${expansion.encoder}.`);
      print(terminal, `On ${count(tested, 'unseen case')}: learned: ${line(learned.learned)}; rule: ${line(rule)}.`);
      const better = difference.interval[0] > 0 ? 'The policy is better.' : 'The policy is not shown to be better than the rule.';
      print(
        terminal,
        `Difference ${difference.value.toFixed(2)} (95% ${difference.interval.map((end) => end.toFixed(2)).join(' to ')}). ${better}`,
      );
    }
    return exits.fine;
  },
};
