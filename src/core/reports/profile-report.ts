/** What became of an import of profiles. */
export type ProfileImportReport = {
  created: number
  /** Profiles that were there under the same id, and the same owner. */
  replaced: number
  /** In the order of the file. */
  profiles: { id: string; owner: string; name: string }[]
}

/** What a query of the profile base found. */
export type ProfileQueryResult =
  /** XML of each node; an attribute is `name="value"`. `total` is how many there are, `nodes` may have fewer. */
  | { kind: 'nodes'; nodes: string[]; total: number }
  | { kind: 'value'; value: string | number | boolean }
  | { kind: 'fault'; message: string }
