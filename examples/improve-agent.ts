/** @file An agent of your own improved on a suite, in five lines; `fake` stands for any model behind an API. */

import { improve } from 'ludus-agents';

const agent = { name: 'clerk', kind: 'llm:fake', texts: { instruction: 'You play for chips.\nFold every hand.' } };
const counts = { propose: 4, select: 6, report: 6 };
const { words } = await improve({ agent, suite: 'games-core', engine: 'gepa', proposer: 'fake', calls: 20, counts });
console.log(words.join('\n'));
