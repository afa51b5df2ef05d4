/** @file An agent of one's own is improved on a suite of one's own, in ten lines; `fake` stands for any model behind an API. */

import { loadSuite, memoryStore } from 'ludus-agents';
import { createImproveServices, improve, improveRun } from 'ludus-agents/learning';

const store = memoryStore();
const agent = { name: 'clerk', kind: 'llm:fake', texts: { instruction: 'You play for chips.\nFold every hand.' } };
const suite = await loadSuite('games-core');
const counts = { propose: 4, select: 6, report: 6 };
const run = await improveRun({ agent, suite, engine: 'gepa', proposer: 'fake', calls: 20, seed: 1, counts });
await store.putRun(run);
const course = improve(run.work, await createImproveServices(store, run, { cwd: '.' }));
let next = await course.next();
while (next.done !== true) next = await course.next();
console.log(next.value.words.join('\n'));
