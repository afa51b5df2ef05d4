import { join } from 'node:path';
import type { ChatLine, ChatShown } from '@ludus-agents/servers/internal/studio/api';
import { openStudio, token } from '@ludus-agents/servers/internal/studio/studio.cases';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../../src/cli/terminal.cases.ts';

describe('terminal conversations', () => {
  it('are listed in the studio, continue there in a branch, and then continue in the terminal', async () => {
    const cwd = folder();
    await ludus(cwd, ['chat', 'villain', '--model', 'fake/Aye.', '--user', 'Rafe'], {
      typed: 'Are you honest?\n/undo\nHow is Marsh?\n/quit\n',
    });
    const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
    const studio = await openStudio({ store, cwd });
    const list = async () => (await studio.get('/api/chats')).body as unknown as readonly ChatLine[];
    const read = async (id: string) => (await studio.get(`/api/chats/${id}`)).body as unknown as ChatShown;
    try {
      // The versions of a conversation are one entry: the latest.
      const [last, ...others] = await list();
      expect(others).toEqual([]);
      expect(last).toMatchObject({ title: 'Cassian Vole', model: 'fake/Aye.', lines: 3, branch: true });
      const shown = await read(last!.id);
      expect([shown.over, shown.left, shown.settings.user]).toEqual([false, true, 'Rafe']);
      expect(shown.lines[1]?.ways?.of).toEqual([expect.any(String), last!.id]);
      const response = await fetch(`${studio.serving.url}/api/chats/${last!.id}/say`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ text: 'I am back.' }),
      });
      const lines = (await response.text()).trim().split('\n');
      const gone = (JSON.parse(lines.at(-1)!) as { shown: ChatShown }).shown;
      const statements = ['How is Marsh?', 'Aye.', 'I am back.', 'Aye.'];
      expect(gone.lines.slice(1).map(({ text }) => text)).toEqual(statements);
      // What was left is in the list as what it has become, and says nothing in the place of the new words.
      expect((await list()).map(({ id }) => id)).toEqual([gone.id]);
      expect(gone.lines[3]?.ways).toBeNull();
    } finally {
      await studio.close();
      await store.close();
    }
    const again = await ludus(cwd, ['chat', 'villain', '--model', 'fake/Aye.', '--user', 'Rafe', '--resume', '--json'], {
      typed: 'Once more.\n/quit\n',
    });
    const { episode } = JSON.parse(again.out) as { episode: string };
    const { out } = await ludus(cwd, ['show', episode]);
    for (const words of ['How is Marsh?', 'I am back.', 'Once more.']) expect(out).toContain(words);
  });

  it('that were imported call no model until the user names one', async () => {
    const [cwd, elsewhere] = [folder(), folder()];
    await ludus(cwd, ['chat', 'villain', '--model', 'fake/Aye.'], { typed: 'Are you honest?\n/quit\n' });
    const file = join(elsewhere, 'talk.jsonl');
    await ludus(cwd, ['data', 'export', '--format', 'jsonl', '-o', file]);
    expect((await ludus(elsewhere, ['data', 'import', file])).code).toBe(0);
    const store = await openStore(join(elsewhere, '.ludus', 'ludus.sqlite'));
    const studio = await openStudio({ store, cwd: elsewhere });
    try {
      expect((await studio.get('/api/chats')).body).toMatchObject([{ title: 'Cassian Vole', model: null, lines: 3 }]);
    } finally {
      await studio.close();
      await store.close();
    }
  });
});
