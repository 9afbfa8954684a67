/** The GraphiQL page, as the thread that renders it sends it. */
export interface RenderedPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The source expression of a content security policy that allows the page's own script. */
  readonly scriptHash: string;
}
