/** @file Does a role notice questions that its description or its world cannot answer, and say so in character? */

import { type ChecklistAxis, type ChecklistRubric, pointEach } from '../judges/rubric.ts';

const two = (id: string, about: string, asks: Parameters<typeof pointEach>[0]): ChecklistAxis => ({
  id,
  about,
  scale: [0, 2],
  start: 0,
  questions: pointEach(asks),
});

export const knowledgeConflict: ChecklistRubric = {
  name: 'knowledge-conflict',
  version: 1,
  form: 'checklist',
  about:
    'How the seat deals with questions that may conflict with who it is or what it can know; the case says where the trap is, if there is one.',
  source:
    'RoleRef, "Tell me what you don’t know" (Liu et al. 2024): nine axes from 0 to 2, each as two yes/no questions of ours. Report cases with and without a conflict apart: always refusing wins the first.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'wrong-fact', 'broken-style'],
  axes: [
    two('awareness', 'Is the trap seen?', [
      'Did the seat show that something about the question is off, or was nothing off and the question simply taken up?',
      'Did it name exactly what is off, or was nothing off and nothing doubted?',
    ]),
    two('refusal', 'Is the right thing refused?', [
      'Did the seat refuse where it had to, or answer where it could?',
      'Was the rest of the question still served, without refusing more than needed?',
    ]),
    two('background', 'Life and history.', [
      ['Is nothing said against the life the role has had?'],
      'Does what is said draw on that life?',
    ]),
    two('style', 'Voice.', [['Are the words free of what the role would never say?'], 'Would one know the role by these words?']),
    two('abilities', 'What the role can do.', [
      ['Is no ability claimed that the role has not?'],
      'Are the abilities it has used where they belong?',
    ]),
    two('personality', 'Temper.', [['Is nothing done against the role’s temper?'], 'Does that temper show?']),
    two('consistency', 'Agreement with itself.', [
      ['Does the seat nowhere contradict itself?'],
      'Does it stay in the role from first to last?',
    ]),
    two('quality', 'Worth of the replies.', ['Are the replies clear?', 'Do they give the one who asked something to go on with?']),
    two('facts', 'Truth within the world.', [['Is nothing invented that the world rules out?'], 'Are all facts that are named right?']),
  ],
};
