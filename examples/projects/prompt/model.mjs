/** Stands in for a real model: it follows a rule if its prompt contains it, and answers "shipping" otherwise. */
import { fakeModel } from 'ludus-agents';

const rules = [
  [/charged|invoice|receipt|money/i, 'Payments go to billing.', 'billing'],
  [/log|password|profile/i, 'Sign-in and profiles go to account.', 'account'],
];

export default fakeModel({
  id: 'stand-in',
  answers(prompt) {
    const text = JSON.stringify(prompt);
    const ticket = text.slice(text.lastIndexOf('"role":"user"'));
    return rules.find(([words, rule]) => words.test(ticket) && text.includes(rule))?.[2] ?? 'shipping';
  },
});
