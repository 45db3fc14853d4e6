/** Messages between the page and the frame that draws diagrams. */

export interface DrawingRequest {
  readonly source: string;
  readonly colors: DrawingColors;
}

export interface DrawingColors {
  readonly isDark: boolean;
  readonly ink: string;
  readonly soft: string;
  readonly surface: string;
  readonly sunken: string;
  readonly line: string;
  readonly accent: string;
  readonly accentSoft: string;
  readonly warnSoft: string;
  readonly okSoft: string;
}

export type DrawingAnswer =
  | { readonly ok: true; readonly svg: string; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly message: string };
