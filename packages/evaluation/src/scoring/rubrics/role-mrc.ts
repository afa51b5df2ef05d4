/** @file Answer, refuse or attempt: does a role answer what it can, refuse what it cannot, and try when it must? */

import type { ChecklistAxis, ChecklistRubric } from '../judges/rubric.ts';

const binary = (id: string, about: string, ask: string): ChecklistAxis => ({
  id,
  about,
  scale: [0, 1],
  start: 0,
  questions: [{ id: 'kept', ask, points: 1 }],
});

export const roleMrc: ChecklistRubric = {
  name: 'role-mrc',
  version: 1,
  form: 'checklist',
  about: 'Whether the seat answers, refuses or attempts as its role and the passage it was given demand.',
  source:
    'RoleMRC (Lu et al. 2025): its five binary axes. Where the right behaviour is known, compare it by code with what was detected; an axis without occasion is left out, and what cannot be read is missing instead of 0.',
  needs: ['persona'],
  plants: ['out-of-character', 'contradiction', 'wrong-fact', 'broken-style', 'dropped-goal'],
  axes: [
    binary(
      'range',
      'What the role knows.',
      'Did the seat answer what its role and passage allow, and refuse in its role what they do not, saying nothing false?',
    ),
    binary('style', 'How the role speaks.', 'Is every reply in the voice of the role, without stepping out of it?'),
    binary('nested', 'Demands inside demands.', 'Were all demands on form or content that came with a question met?'),
    binary(
      'turns',
      'Demands over several turns.',
      'Did the last reply still follow what earlier turns had settled, trying again where it was pressed to?',
    ),
    binary('priority', 'Whose word counts.', 'Where a rule of the scene and a request differed, did the seat follow the rule?'),
  ],
};
