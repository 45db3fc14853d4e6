/**
 * Every endpoint of the API, by group and name. Server, client and OpenAPI document are generated from this table.
 */
import { authoring } from './authoring.ts';
import { bundles } from './bundles.ts';
import { costs } from './costs.ts';
import type { Endpoint, EndpointGroup } from './define-endpoint.ts';
import { files } from './files.ts';
import { hooks } from './hooks.ts';
import { imports } from './imports.ts';
import { packages } from './packages.ts';
import { previews } from './previews.ts';
import { folders, projects } from './projects.ts';
import { search } from './search.ts';
import { servers } from './servers.ts';
import { models, settings } from './settings.ts';
import { streams } from './streams.ts';
import { system } from './system.ts';
import { works } from './works.ts';

export const ENDPOINTS = {
  projects,
  folders,
  files,
  previews,
  packages,
  imports,
  bundles,
  authoring,
  works,
  search,
  costs,
  settings,
  models,
  servers,
  hooks,
  streams,
  system,
} as const satisfies Readonly<Record<string, EndpointGroup>>;

export type Endpoints = typeof ENDPOINTS;

/** All endpoints, each with its full name (`works.answer`). */
export function listEndpoints(
  groups: Readonly<Record<string, EndpointGroup>> = ENDPOINTS,
): { readonly name: string; readonly endpoint: Endpoint }[] {
  return Object.entries(groups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
  );
}
