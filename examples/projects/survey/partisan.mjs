/** Stands in for a model: it answers by the party that its person identifies with. */
import { fakeModel } from 'ludus-agents';

export default fakeModel({
  id: 'partisan',
  answers(prompt) {
    const text = JSON.stringify(prompt);
    const choice = /(leans|weak|strong) Republican/.test(text) ? 'Dole' : 'Clinton';
    return new RegExp(`\\[\\d\\] ${choice}`).exec(text)[0].slice(0, 3);
  },
});
