/** @file Breadcrumbs: the way from the list to what is shown. */

interface CrumbsProps {
  readonly of: readonly (readonly [name: string, address: string])[];
}

export function Crumbs({ of }: CrumbsProps) {
  return (
    <nav className="crumbs small" aria-label="Breadcrumb">
      <ol>
        {of.map(([name, address]) => (
          <li key={address} data-owner={/^#\/\w+$/.test(address) ? '' : undefined}>
            <a href={address}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
