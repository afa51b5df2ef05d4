import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boardImage } from '@ludus-agents/environments/internal/picture/board';
import { relay } from '@ludus-agents/environments/internal/relay';
import { type EpisodeEvent, imageUrl } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { choose, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { ParquetFile } from '@ludus-agents/store/internal/exports/parquet';
import { Packer } from '@ludus-agents/store/internal/pack';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, describe, expect, it } from 'vitest';
import { json, whole } from '../../../../test/fixtures/scripted-server.ts';
import { awaitRecords, callsIn, closeProxy, desk, open, post } from './proxy.cases.ts';
import { readAsked } from './wire.ts';

afterEach(closeProxy);

const { media, data, width, height } = boardImage('XO.\n.X.\n..O');
const saved = { media, data, width, height, alt: '' };
const url = imageUrl(saved);
const words = 'Who wins?';

const dialects = [
  [
    '/v1/chat/completions',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: words },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    },
    {},
  ],
  [
    '/v1/responses',
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: words },
            { type: 'input_image', image_url: url },
          ],
        },
      ],
    },
    { output: [{ type: 'message', content: [{ type: 'output_text', text: 'X' }] }], status: 'completed', usage: {} },
  ],
  [
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: words },
            { type: 'image', source: { type: 'base64', media_type: media, data } },
          ],
        },
      ],
    },
    { content: [{ type: 'text', text: 'X' }], stop_reason: 'end_turn', usage: {} },
  ],
  [
    '/v1beta/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: words }, { inlineData: { mimeType: media, data } }] }] },
    { candidates: [{ content: { parts: [{ text: 'X' }] }, finishReason: 'STOP' }], usageMetadata: {} },
  ],
] as const;

const imagesIn = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'message' ? (event.images ?? []) : []));

describe('an image sent through the proxy', () => {
  it.each(dialects)('is forwarded unchanged from %s and recorded', async (path, body, answer) => {
    const base = await open([path.endsWith('completions') ? whole('X') : json(200, answer)], { tokens: false });
    expect((await post(`${base}${path}`, JSON.stringify({ model: 'm', ...body }))).status).toBe(200);
    expect(desk.upstream!.seen[0]!.body).toMatchObject(body);
    const [log] = await awaitRecords();
    const [call] = callsIn(log!);
    expect(call!.prompt.messages).toEqual([{ role: 'user', content: words, images: [saved] }]);
    expect(String(call!.notes)).not.toContain('in the record');
    expect(imagesIn(log!)).toEqual([saved]);
    expect(replay(relay, log!)).toBeNull();
  });

  it('is shown to a seat once and stored once, and counts as new if its bytes differ', async () => {
    const base = await open([whole('X')], { tokens: false });
    const look = (image: string) => ({
      role: 'user',
      content: [
        { type: 'text', text: words },
        { type: 'image_url', image_url: { url: image } },
      ],
    });
    const other = boardImage('OOO\n.X.\nX.X');
    const statement = { role: 'assistant', content: 'X' };
    const call = (messages: readonly object[]) => post(`${base}/r/a/e/b/v1/chat/completions`, JSON.stringify({ model: 'm', messages }));
    await call([look(url)]);
    await call([look(url), statement, { role: 'user', content: 'Sure?' }]);
    await call([look(imageUrl(other)), statement, { role: 'user', content: 'Sure?' }]);
    const [log] = await awaitRecords();
    expect(imagesIn(log!).map((image) => image.data)).toEqual([data, other.data]);
    const shared: string[] = [];
    const packed = new Packer(({ part }) => shared.push(part)).packAll(log as never, () => 'event');
    expect(shared.filter((part) => part.includes(data))).toHaveLength(1);
    expect(packed).not.toContain(data);
  });

  it('appears in the Parquet table of turns with its bytes, and in prompts by its hash', async () => {
    const base = await open([whole('X')], { tokens: false });
    await post(`${base}/v1/chat/completions`, JSON.stringify({ model: 'm', ...dialects[0][1] }));
    await awaitRecords();
    const here = mkdtempSync(join(tmpdir(), 'ludus-pictures-'));
    try {
      const turns = formats['parquet']!.open().find(({ name }) => name === 'turns')!;
      const file = new ParquetFile(join(here, 'turns.parquet'), turns.columns!);
      for await (const play of plays(desk.store, await choose(desk.store, {}), { filter: {}, split: { evalShare: 0, seed: 1 } }))
        for (const row of turns.rows(play, () => {})) await file.add(row);
      await file.close();
      const bytes = readFileSync(join(here, 'turns.parquet'));
      const rows = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), utf8: false });
      const row = rows.find(({ seat }) => seat === 'player')!;
      const hash = createHash('sha256').update(data, 'base64').digest('hex');
      expect(row['images']).toEqual([
        { hash, media, width: BigInt(width), height: BigInt(height), bytes: new Uint8Array(Buffer.from(data, 'base64')) },
      ]);
      expect(row['calls'][0].prompt).toEqual([{ role: 'user', content: words, images: [hash] }]);
    } finally {
      rmSync(here, { recursive: true, force: true });
    }
  });

  const read = (address: string) => {
    const content = [
      { type: 'text', text: words },
      { type: 'image_url', image_url: { url: address } },
    ];
    const { prompt, notes } = readAsked('chat', { model: 'm', messages: [{ role: 'user', content }] });
    return { notes, size: prompt.messages[0]!.images?.map((image) => [image.width, image.height]) };
  };

  it.each([
    ['a remote URL', 'https://example.com/a.png'],
    ['not base64', 'data:image/png;base64,%%%'],
    ['of another type', `data:image/tiff;base64,${data}`],
    ['not an image', `data:image/png;base64,${Buffer.alloc(60, 'not a picture').toString('base64')}`],
  ])('is only noted if it is %s', (_, address) => {
    expect(read(address)).toEqual({ notes: ['A part of the type "image_url" is not in the record.'], size: undefined });
  });

  it.each([
    ['gif', [...Buffer.from('GIF89a'), 40, 1, 30, 0]],
    ['webp', [...Buffer.from('RIFF----WEBPVP8X'), 0, 0, 0, 0, 0, 0, 0, 0, 39, 1, 0, 29, 0, 0]],
    ['jpeg', [0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4, 0xff, 0xc2, 0, 17, 8, 0, 30, 1, 40, 3]],
  ])('has its size read from its header as %s', (type, head) => {
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(30)]);
    expect(read(`data:image/${type};base64,${bytes.toString('base64')}`)).toEqual({ notes: [], size: [[296, 30]] });
  });
});
