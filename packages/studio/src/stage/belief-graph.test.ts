/** @file Beliefs as a graph: entities with attributes, and relations between them. */

import { expect, it } from 'vitest';
import { beliefPicture } from './belief-graph.tsx';

it('collects entities, attributes, and relations from current beliefs only', () => {
  const texts = [
    'belief.dog: there 70, not there 30',
    'belief.dog.color = red 100',
    'belief.dog>sofa: on 80, under 20',
    'belief.style: photo 50, drawing 50',
    'Ann.home: Oslo',
  ];
  const memories = texts.map((text, i) => ({ id: `m${i}`, kind: 'fact', text, used: false, evidence: [], gone: false }));
  const old = { ...memories[0]!, id: 'm9', text: 'belief.cat: there 100', gone: true };
  expect(beliefPicture([old, ...memories])).toEqual({
    entities: [
      { name: 'dog', chances: 'there 70, not there 30', attributes: ['color: red 100'] },
      { name: 'sofa', chances: '', attributes: [] },
      { name: 'style', chances: 'photo 50, drawing 50', attributes: [] },
    ],
    relations: [{ from: 'dog', to: 'sofa', text: 'on 80, under 20' }],
  });
});
