/** @file A user's repository as a study: a paper, a folder of files, the command that runs it, and questions about its output. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { object, optional, required, type Shape, words } from '@ludus-agents/kernel/internal/core/shape';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { levels, questionShape, type Study } from './study.ts';

type StudySettings = { readonly command: string; readonly image?: string };

const settingsShape: Shape<StudySettings> = object<StudySettings>({
  command: required(words, 'what runs the study, with {seed} for a number, such as "python3 main.py {seed}"'),
  image: optional(words, 'an image of the container engine that has what the command needs'),
});

export const reproductionContent: ContentReader = {
  files: {
    'repository/': 'the files of the study: code, data, README, Dockerfile',
    'study.json': 'command, with {seed} for a number; image',
    'questions.json': 'questions: id, ask, line; or questions.csv',
    'paper.md': 'the text of the paper (optional)',
  },
  seat: 'researcher',
  others: { shell: 'shell' },
  best: 'reproducer',
  pass: 1,
  window: 1,
  read(source, task) {
    const settings = source.json('study.json', settingsShape);
    const questions = source.table('questions', questionShape);
    refuseDuplicates(source, questions);
    const paths = source.namesUnder('repository', ['']);
    const files = Object.fromEntries(paths.map((path) => [path.slice('repository/'.length), source.text(path)]));
    const paper = source.has('paper.md') ? source.text('paper.md') : '';
    if (paths.length === 0) source.refuse('repository/', null, 'expected the files of the study in this folder');
    const command = settings?.command ?? '';
    if (settings !== undefined && !command.includes('{seed}'))
      source.refuse(
        'study.json',
        ['command'],
        'expected {seed} in the command; without a seed, every run is the same and intervals are empty',
      );
    const named = command.split(/\s+/).filter((word) => /\.\w+$/.test(word) && !word.startsWith('-'));
    const program = named.find((word) => Object.hasOwn(files, word.replace(/^\.\//, '')));
    if (settings !== undefined && paths.length > 0 && named.length > 0 && program === undefined)
      source.refuse('study.json', ['command'], `the command names ${named.join(', ')}, which is not in repository/`);
    // The study may compose an output line at run time, so only a line that shares no word with the repository is certainly wrong.
    const printable = Object.values(files).join('\n').toLowerCase();
    for (const { value, file, line } of questions)
      if (
        !value.line
          .toLowerCase()
          .split(/\s+/)
          .some((word) => printable.includes(word))
      )
        source.refuse(file, line, `no file in repository/ contains a word of "${value.line}", so the study would not print it`);
    if (task['given'] === 'text' && paper === '')
      source.refuse('world.json', ['task'], 'with "given": "text" the paper is all there is; add paper.md');
    const study = {
      id: 'own',
      paper,
      files,
      command,
      ...(settings?.image === undefined ? {} : { image: settings.image }),
      questions: questions.map(({ value }) => value),
    } satisfies Study;
    const commands = typeof task['commands'] === 'number' ? task['commands'] : 12;
    const [, ...shortcuts] = levels.filter((level) => level !== 'text' || paper !== '');
    return {
      task: { own: study },
      cases: typeof task['given'] === 'string' ? [] : ['easy', ...shortcuts].map((level) => ({ id: level, task: { given: level } })),
      turns: (2 * commands + 3) * 4,
      proofs: [
        `${count(paths.length, 'file')}, ${count(questions.length, 'question')}; each names a line that the study must print.`,
        `The command "${command}" is run by the seat "shell" in every episode; intervals follow from what it prints, not from the paper.`,
      ],
    };
  },
};
