/** The list of installed packages, or the details of one. */
import { PackageDetails } from './package-details.tsx';
import { PackageList } from './package-list.tsx';

export default function PackagesScreen({ hash }: { readonly hash?: string | undefined }) {
  return (
    <div key={hash ?? ''} className="h-full overflow-auto [scrollbar-gutter:stable] bg-surface">
      <div className="page-column">
        {hash === undefined ? <PackageList /> : <PackageDetails hash={hash} />}
      </div>
    </div>
  );
}
