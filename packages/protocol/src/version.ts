/** The version of CrewAgent; the manifests of the workspace have the same number. */
export const VERSION = '0.1.0';
