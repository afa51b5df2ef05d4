/** @file Breadcrumbs: the way from the list to what is shown. */

interface CrumbsProps {
  readonly of: readonly (readonly [name: string, address: string])[];
}

export function Crumbs({ of }: CrumbsProps) {
  return (
    <nav className="crumbs small" aria-label="Breadcrumb">
      <ol>
        {of.map(([name, address]) => (
          <li key={address}>
            <a href={address}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
