/** @file Blueprints from files: one text file each, layers from the ground up with an empty line between them. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { ContentReader } from '../content/content.ts';
import { blocksOfDrawing, type Drawing, problemOfDrawing } from './blocks.ts';

export const blocksContent: ContentReader = {
  files: { 'blueprints/': 'text files: "# what it is in words", then layers of rows with S, W and dots, an empty line between layers' },
  seat: 'builder',
  best: 'mason',
  pass: 1,
  read(source, task) {
    const names = source.namesUnder('blueprints', ['.txt']);
    if (names.length === 0) source.refuse('blueprints/', null, 'expected at least one blueprint (.txt)');
    let side = 2;
    const drawings = names.map((file): Drawing => {
      const layers: string[][] = [[]];
      let text = '';
      for (const [i, raw] of source.text(file).split(/\r?\n/).entries()) {
        const row = raw.trim();
        if (row.startsWith('#')) text = `${text} ${row.replace(/^#+\s*/, '')}`.trim();
        else if (row === '') layers.push([]);
        else if (/^[SW.]+$/.test(row)) layers[layers.length - 1].push(row);
        else source.refuse(file, i + 1, `expected a row of S (stone), W (wood) and dots, got "${row.slice(0, 40)}"`);
      }
      const filled = layers.filter((rows) => rows.length > 0);
      const longest = Math.max(filled.length, ...filled.map((rows) => rows.length), ...filled.flat().map((row) => row.length));
      if (longest > 8) source.refuse(file, null, `a blueprint has at most 8 blocks on a side, got ${longest}`);
      side = Math.max(side, longest);
      const name = file.replace(/^blueprints\//, '').replace(/\.txt$/, '');
      const drawing = { name, text: text === '' ? name : text, layers: filled };
      const problem = problemOfDrawing(drawing);
      if (problem !== null) source.refuse(file, null, `the blueprint ${problem}`);
      return drawing;
    });
    const blocks = drawings.map((drawing) => Object.keys(blocksOfDrawing(drawing)).length);
    const moves = typeof task['moves'] === 'number' ? task['moves'] : Math.min(1000, Math.max(...blocks, 1) + 10);
    return {
      task: { blueprints: drawings, size: Math.min(side, 8), moves },
      cases: drawings.map((drawing) => ({ id: drawing.name, task: { blueprints: [drawing] } })),
      turns: moves * 11,
      proofs: [
        `${count(names.length, 'blueprint')} with ${Math.min(...blocks)} to ${Math.max(...blocks)} blocks; every block is connected to the ground.`,
        `${blocks.filter((number) => number < moves).length} of ${names.length} can be finished block by block in ${moves} moves.`,
      ],
    };
  },
};
