/** @file Which stored episodes of a run were played again last time, and why. */

export function Changes({ changes }: { readonly changes: readonly string[] }) {
  if (changes.length === 0) return null;
  return (
    <section aria-label="Changed since the last time" className="card">
      {changes.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  );
}
