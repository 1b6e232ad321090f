/** The graph of the crawl: documents and the links among them. Safe during a crawl. */
export type GraphView = {
  /** The newest documents, or those of one host. */
  graph(query: { host: string | null; limit: number }): Promise<LinkGraph>
}

export type LinkGraph = {
  nodes: GraphNode[]
  /** From and to, as indexes in `nodes`. */
  edges: [from: number, to: number][]
  /** There are more documents, or more links among these, than returned. */
  more: boolean
}

export type GraphNode = {
  document: number
  url: string
  host: string
  title: string
  status: number
  state: 'fetched' | 'failed' | 'gone' | 'redirect'
}
