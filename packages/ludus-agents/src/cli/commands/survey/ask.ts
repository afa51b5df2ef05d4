/** @file Shows the progress of interviews at a terminal, and stops them at Ctrl-C. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { RunProgress } from '@ludus-agents/kernel/internal/engine/run';
import type { StoppedExperiment } from '../../../library/experiments.ts';
import type { InterviewOptions } from '../../../library/interviews.ts';
import { exits } from '../../command.ts';
import { progressLine } from '../../render/progress.ts';
import { interruptible, type Terminal } from '../../terminal.ts';

interface Interviews {
  readonly hooks: Required<Pick<InterviewOptions, 'signal' | 'onProgress' | 'onFailures'>>;
  /** Asks a question, which Ctrl-C aborts. */
  ask(question: () => Promise<boolean>): Promise<boolean>;
  done(): void;
}

export function interviewsAt(terminal: Terminal): Interviews {
  let line = progressLine(terminal);
  let current = '';
  const { controller, release, listen } = interruptible(terminal, (text) => line.note(text));
  return {
    hooks: {
      signal: controller.signal,
      onProgress(progress: RunProgress, run: string) {
        if (run !== current) line = progressLine(terminal);
        current = run;
        line.tell(progress);
      },
      onFailures: (failed, cause) => line.note(`${count(failed, 'interview')} failed: ${printable(cause)}`),
    },
    async ask(question) {
      release();
      const isWanted = await question();
      listen();
      return isWanted;
    },
    done() {
      line.done();
      release();
    },
  };
}

/** Says which agent answers if the user named none. */
export function noteUsualAgent(agent: string | undefined, terminal: Terminal): void {
  if (agent !== undefined) return;
  terminal.stderr.write(
    'No --agent was given, so the built-in model "fake" answers at random. Pass --agent llm:MODEL to use a language model.\n',
  );
}

/** Explains how to resume stopped arms of episodes. */
export function writeStopped({ counted, arm, arms }: StoppedExperiment, terminal: Terminal): number {
  if (counted === 'episode') terminal.stderr.write(`Stopped in ${arm} of ${arms} arms. Run the same command to resume.\n`);
  return exits.interrupted;
}
