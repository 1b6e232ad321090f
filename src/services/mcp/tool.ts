import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { readTime } from '../../archive/history/version-finder.ts'
import { parseDuration } from '../../config/quantities.ts'
import { AppError } from '../../core/errors.ts'

/** The user on whose behalf a tool is called. */
export type McpCaller = {
  owner: string
  /** False for a token that may only read. */
  mayWrite: boolean
}

/** The same answer twice: as text for models, as data for programs. */
export type ToolAnswer = { text: string; data: Record<string, unknown> }

/** A tool of the MCP server, independent of how it is reached. */
export type Tool = {
  name: string
  title: string
  description: string
  input: TObject
  output: TObject
  /** `write`: it changes something for the caller, and needs a token with that scope. */
  access: 'read' | 'write'
  /** Repeating the call changes nothing more. */
  isIdempotent: boolean
  /** The arguments match the schema. */
  call(caller: McpCaller, args: never): Promise<ToolAnswer>
}

type ToolDefinition<I extends TObject> = Omit<Tool, 'input' | 'call'> & {
  input: I
  call(caller: McpCaller, args: Static<I>): Promise<ToolAnswer>
}

export function defineTool<const I extends TObject>(tool: ToolDefinition<I>): Tool {
  return tool as unknown as Tool
}

/** Unknown arguments are rejected, so that a typo isn't taken for a missing one. */
export function argumentsOf<const T extends Record<string, TSchema>>(properties: T) {
  return Type.Object(properties, { additionalProperties: false })
}

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'Address of a page' })
export const Query = Type.String({
  minLength: 1,
  maxLength: 1000,
  description:
    'Words, "phrases", OR, -excluded, prefix*, intitle:word, site:example.org, after:2026-01, before:2026-07',
})
export const ProfileId = Type.String({ minLength: 1, maxLength: 200, description: 'Id of one of your profiles' })
/** A time (`2026-11-01`, `2026-11-01T12:00Z`) or how long ago it was (`24h`, `7d`). */
export function sinceOf(text: string, now: number): number {
  const at = readTime(text)
  if (at !== null) return at
  const ago = /[a-z]$/i.test(text) ? parseDuration(text) : undefined
  if (ago !== undefined && ago >= 0) return Math.max(0, now - ago)
  throw new AppError(
    'request-invalid',
    `since: expected a time such as 2026-11-01T12:00Z or 24h, found ${quoted(text)}`,
  )
}

const MAX_QUOTED = 60

export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text)
}

/** Joins a text into one line of at most `max` characters. */
export function lineOf(text: string, max = 300): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`
}
