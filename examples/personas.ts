/** @file One persona in and out of other formats, its siblings, its temperament by the words of its card, and who gave a secret away. */

import { loadEnvironment, play, scripted } from 'ludus-agents';
import { exportPersona, gallery, importPersona, leaks, ledger, lexicalBigFive, merge, parsePersona, vary } from 'ludus-agents/personas';

const innkeeper = gallery['innkeeper'];
const card = exportPersona(innkeeper, 'card-v3');
const { persona, format } = importPersona(card);
console.log(
  `${persona.name}: out as a character card and in again as ${format}; ${persona.hash === innkeeper.hash ? 'the same' : 'another'} document`,
);

// A document of one's own needs a name and what is true of them; the rest is filled in.
const ann = parsePersona({ name: 'Ann Archer', statements: ['Ann Archer mends clocks.', 'Ann Archer is quiet, careful and kind.'] });
const both = merge(ann, parsePersona({ name: 'Ann', statements: ['Ann lives above her shop.'] }));
console.log(`${both.name} now has ${both.statements.length} statements`);
for (const { hash, parent } of vary(innkeeper, { count: 2, seed: 1 }))
  console.log(`a sibling: document ${hash.slice(0, 8)} of ${parent?.hash.slice(0, 8)}`);

const { traits, evidence } = lexicalBigFive(ann.statements.map(({ text }) => text).join(' '));
console.log(`agreeableness by ${evidence} words: ${traits.A.score.toFixed(0)}`);

// Who knows what by the end of a conversation, and who said what they could not know.
const chat = await loadEnvironment('chat');
const agents = { character: scripted('ann', () => ({ text: 'Good day.' })), user: scripted('user', () => ({ text: '/quit' })) };
const log = await Array.fromAsync(
  play(chat, agents, { task: { character: ann.name, user: 'a customer', scenario: '', greeting: 'Good day.', lines: [] }, seed: 1 }),
);
console.log(
  `${ledger(log, { character: ann }).length} facts were learned, ${leaks(log, { character: ann }).length} said by somebody who could not know them`,
);
