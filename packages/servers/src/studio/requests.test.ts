import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const refused = async (method: string, path: string, body?: unknown) => {
  const { status, body: statement } = await studio.ask<{ error: string }>(method, path, body);
  return [status, statement.error];
};

describe('a request body', () => {
  it.each([
    ['POST', '/api/play', [], 'The body must be an object, but got [].'],
    ['POST', '/api/play', {}, 'The body: environment must be a string of 1 to 200 characters, but is missing.'],
    ['POST', '/api/play', { environment: 7 }, 'The body: environment must be a string of 1 to 200 characters, but got 7.'],
    ['POST', '/api/play', { environment: 'leduc', task: [] }, 'The body: task must be an object with the task parameters, but got [].'],
    ['POST', '/api/play', { environment: 'leduc', sed: 1 }, 'The body: unknown field "sed" (did you mean "seed"?)'],
    [
      'POST',
      '/api/play',
      { environment: 'leduc', cast: { first: 7 } },
      'The body: cast.first must be the name of an agent, or a spec with "name" and "kind", but got 7.',
    ],
    ['POST', '/api/training', { recipe: 'kuhn-tabular', seed: -1 }, 'The body: seed must be an integer of 0 or more, but got -1.'],
    [
      'POST',
      '/api/training',
      { recipe: 'kuhn-tabular', name: '../x' },
      'The body: name must be letters, digits, dots, and dashes without spaces, like kuhn-1 (up to 80), but got "../x".',
    ],
    ['POST', '/api/improving', { recipe: 'a', engine: 'b', calls: 1 }, 'The body: calls must be an integer from 10 to 5000, but got 1.'],
    ['PUT', '/api/models/budget', { calls: -1 }, 'The body: calls must be a number from 0 to 1,000,000,000,000, but got -1.'],
    [
      'POST',
      '/api/create/persona',
      { model: 'fake/x' },
      'The body: "description" must be a string of 1 to 8000 characters, but it is missing.',
    ],
  ])('of %s %s is rejected with one sentence if it is %j', async (method, path, body, sentence) => {
    const [status, said] = await refused(method, path, body);
    expect(said).toContain(sentence);
    expect(status).toBe(400);
  });

  it('is read without empty form fields', async () => {
    const { status, body } = await studio.ask<{ count: number }>('POST', '/api/personas/sample', {
      count: '',
      seed: null,
      specification: null,
    });
    expect([status, body.count]).toEqual([200, 100]);
  });

  it('never shows part of a rejected key', async () => {
    const [status, said] = await refused('PUT', '/api/models/keys/OPENAI_API_KEY', { key: ['sk-secret'] });
    expect([status, said]).toEqual([400, 'The body: key must be a string.']);
  });
});

describe('a request address', () => {
  it.each([
    ['/api/runs/episodes?limit=0', 'The address: limit must be an integer from 1 to 500, but got 0.'],
    ['/api/runs/episodes?limit=1e2', 'The address: limit must be an integer from 1 to 500, but got "1e2".'],
    ['/api/runs/episodes?status=gone', 'The address: status must be one of "running", "over", "limit", "error", "abort", but got "gone".'],
    ['/api/runs/compare?a=x', 'The address: b must be a string of 1 to 1000 characters, but is missing.'],
    ['/api/personas/gallery/innkeeper/losses?to=exe', 'The address: to must be one of '],
  ])('is rejected with one sentence: %s', async (path, sentence) => {
    const [status, said] = await refused('GET', path);
    expect(said).toContain(sentence);
    expect(status).toBe(400);
  });

  it('may have parameters that its route does not read', async () => {
    expect((await studio.ask('GET', '/api/runs/episodes?limit=5&theme=dark')).status).toBe(200);
  });
});
