/** @file What people have written about a run, an episode, or a comparison, and a field to write something. */

import { useState } from 'react';
import { post, useAction, useApi } from '../client.ts';
import { useKept } from '../kept.ts';
import { Problem } from './states.tsx';
import { Time } from './when.tsx';

export function Comments({ of, id }: { readonly of: 'run' | 'episode' | 'comparison'; readonly id: string }) {
  const param = { of, id };
  const { loaded, reload } = useApi('/api/comments/:of/:id', { param });
  const [by, setBy] = useKept('reviewer', '');
  const [text, setText] = useState('');
  const { busy, error, run } = useAction();
  const comments = loaded.state === 'ready' ? loaded.data : [];
  const submit = () =>
    run(async () => {
      await post('/api/comments/:of/:id', { param, json: { text: text.trim(), by: by === '' ? 'me' : by } });
      setText('');
      reload();
    });
  const remove = (number: number) =>
    run(async () => {
      await post('/api/comments/:of/:id/remove', { param, json: { number } });
      reload();
    });
  return (
    <section aria-label="Comments" className="comments">
      <h2>Comments</h2>
      {comments.length === 0 ? <p className="muted small">No comments yet.</p> : null}
      <ul className="plain-list">
        {comments.map(({ number, text: comment, by: author, at }) => (
          <li key={number}>
            <p className="row small">
              <strong>{author}</strong> <Time at={at} />
              <button
                type="button"
                className="bare"
                data-owner=""
                aria-label={`Remove the comment of ${author}`}
                disabled={busy}
                onClick={() => remove(number)}
              >
                ×
              </button>
            </p>
            <p className="text">{comment}</p>
          </li>
        ))}
      </ul>
      <form
        className="row wraps"
        data-owner=""
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') submit();
        }}
      >
        <label>
          <span className="hidden">Your name</span>
          <input value={by} maxLength={60} placeholder="Your name" onChange={(event) => setBy(event.target.value)} />
        </label>
        <label className="grow roomy">
          <span className="hidden">Comment</span>
          <input value={text} maxLength={8000} placeholder="Write a comment" onChange={(event) => setText(event.target.value)} />
        </label>
        <button type="submit" disabled={busy || text.trim() === ''}>
          Comment
        </button>
      </form>
      <Problem error={error} />
    </section>
  );
}
