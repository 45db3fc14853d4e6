/** The place where a package came from, as the address a person would give. Pure. */
import type { PackagePlace } from '@crewagent/protocol/package-origin';
import type { NpmAddress } from './npm-registry.ts';

/** Undefined for a file that a browser sent. */
export function toAddress(place: PackagePlace): string | undefined {
  switch (place.kind) {
    case 'path':
      return place.path;
    case 'git':
      return `${place.url}${place.ref === undefined ? '' : `#${place.ref}`}`;
    case 'url':
      return place.url;
    case 'npm':
      return `npm:${place.name}${place.wanted === undefined ? '' : `@${place.wanted}`}`;
    case 'index':
      return `${place.name} in ${place.url}`;
    case 'upload':
      return undefined;
  }
}

/** Where a newer version is; undefined for a path. `next`: the newer version or tag. */
export function toNewerAddress(place: PackagePlace, next: string | undefined): string | undefined {
  switch (place.kind) {
    case 'git': {
      // A branch, or the default branch, has moved: its name stays.
      const ref = place.ref !== undefined && /^v?\d/.test(place.ref) ? next : place.ref;
      return `git+${place.url}${ref === undefined ? '' : `#${ref}`}`;
    }
    case 'npm':
      return `npm:${place.name}${next === undefined ? '' : `@${next}`}`;
    case 'index':
      return `${place.name}${next === undefined ? '' : `@${next}`}`;
    case 'url':
      return place.url;
    default:
      return undefined;
  }
}

/** A version that was asked for is followed by the newest one, a tag stays. */
export function toFollowed({ name, wanted }: NpmAddress): NpmAddress {
  return { name, wanted: wanted !== undefined && /^\d/.test(wanted) ? undefined : wanted };
}
