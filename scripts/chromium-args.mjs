/**
 * Chromium arguments for tests and benchmarks: without background requests and unused features.
 */

/** Chromium uses only the last list, so this one repeats the relevant part of Playwright's. */
const DISABLED_FEATURES = [
  // Since version 156 each new window loads the popup of the address bar as a separate page, which costs more than our page.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // From Playwright's list.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];
