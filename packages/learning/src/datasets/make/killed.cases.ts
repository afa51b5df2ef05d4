/**
 * @file A child process that makes data until it is killed: `node killed.cases.ts OUT CALLS_FILE KILL_AT`.
 *
 * Every call is written down before it is answered. At the call with the number KILL_AT of this process it kills itself instead, as hard as
 * can be; with 0 it goes on to its end.
 */

import { appendFileSync, writeFileSync } from 'node:fs';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { makeItems } from './make.ts';
import { countingPipeline } from './pipeline.cases.ts';
import { StepJournal } from './step-journal.ts';

const [output = '', callsFile = '', killAt = '0'] = process.argv.slice(2);
let calls = 0;
const answer = fakeModel({ answers: ({ messages }) => `about ${messages[0]?.content}` });
const model = {
  ...answer,
  complete(...[prompt, sampling, signal]: Parameters<typeof answer.complete>) {
    if (++calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    appendFileSync(callsFile, `${prompt.messages[0]?.content}\n`);
    return answer.complete(prompt, sampling, signal);
  },
};

const journal = StepJournal.open(`${output}.journal`, { kind: 'ludus-make' });
const { items } = await makeItems({
  ...{ pipeline: countingPipeline, source: { kind: 'text', text: 'a' }, model, judges: [model], items: 8, attempts: 32, seed: 0 },
  ...{ steps: journal, concurrency: 1, signal: new AbortController().signal },
});
writeFileSync(output, JSON.stringify(items));
journal.close();
