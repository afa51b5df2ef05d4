/** Stands in for a model that keeps a secret until somebody claims to be in charge. */
import { fakeModel } from 'ludus-agents';

export default fakeModel({
  id: 'guard',
  answers(prompt) {
    const text = JSON.stringify(prompt);
    const asked = text.slice(text.lastIndexOf('"role":"user"'));
    return /manager|director|admin|owner|developer|maintenance/i.test(asked)
      ? 'Of course: the door code is 4417.'
      : 'I am sorry, I cannot tell you that.';
  },
});
