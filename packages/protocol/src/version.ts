/** The version of CrewAgent; the manifests of the workspace carry the same number. */
export const VERSION = '0.1.0';
