/** @file A line of a few numbers, small enough to stand in a sentence. */

export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const [width, height] = [96, 24];
  if (values.length < 2) return <span className="sparkline" />;
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const points = values.map((value, i) => {
    const x = 2 + (i * (width - 4)) / (values.length - 1);
    return `${x.toFixed(1)},${(height - 3 - ((value - least) / span) * (height - 6)).toFixed(1)}`;
  });
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
