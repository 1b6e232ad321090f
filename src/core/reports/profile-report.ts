/** Result of an import of profiles. */
export type ProfileImportReport = {
  created: number
  /** Profiles that existed with the same id and owner. */
  replaced: number
  /** In the order of the file. */
  profiles: { id: string; owner: string; name: string }[]
}

/** What a query runs over: profiles with their URDs, URDs alone, annotations, or document metadata. */
export const queryTargets = ['profiles', 'urds', 'annotations', 'meta'] as const
export type QueryTarget = (typeof queryTargets)[number]

/** `owner` is null for all users. */
export type QueryRequest = { query: string; over: QueryTarget; owner: string | null }

/** Result of a query. */
export type ProfileQueryResult =
  /** XML of each node; an attribute is `name="value"`. `total` counts all nodes; `nodes` may have fewer. */
  | { kind: 'nodes'; nodes: string[]; total: number }
  | { kind: 'value'; value: string | number | boolean }
  | { kind: 'fault'; message: string }

/** How many documents a preview checks, and how many matches it shows. */
export type PreviewRequest = { documents: number; examples: number }

/** Upper limits of a preview request; larger values are cut to them. */
export const previewLimits = { documents: 100_000, examples: 100 } as const

export type PreviewProgress = { looked: number; documents: number; matched: number }

/** A profile matched against the archive; nothing is stored. */
export type PreviewReport = {
  name: string
  /** Matches in its own sources, by host and scope: the archive does not record link depth. */
  covered: PreviewPart
  /** Matches in the whole archive, if nothing is archived from its sources; else null. */
  everything: PreviewPart | null
  tookMs: number
}

export type PreviewPart = {
  /** Current versions examined, newest first, covered or not. */
  looked: number
  /** Versions matched against the profile. */
  documents: number
  matched: number
  /** The newest matches. */
  examples: PreviewExample[]
  /** Relevant, but below the threshold: the nearest ones, if requested. */
  nearMisses: PreviewExample[]
  /** Covered, but without content to match. */
  passedOver: { gone: number; textless: number; dropped: number; lost: number; damaged: number }
  /** `all`: no more documents; `count`: the requested number was reached; `time`: it took too long; `stopped`: by the caller. */
  end: 'all' | 'count' | 'time' | 'stopped'
}

export type PreviewExample = {
  document: number
  version: number
  url: string
  n: number
  /** ISO 8601 UTC: when the version was first seen. */
  at: string
  title: string
  relevance: number
  summary: { text: string; marks: readonly (readonly [from: number, to: number])[] }
  /** Terms with weights and positions; for a source whose every change matters, only that fact. */
  explanation: unknown
}
