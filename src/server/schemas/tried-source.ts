import { Type } from 'typebox'
import { oneOf } from './common.ts'

/** Only the outermost shape; the profile reader validates the rest and reports all errors together. */
export const SourceBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'A source as profiles have it: uri, render, credentials, select, omit and so on. With `{keywords}` in the uri, `keywords` is the list of those of the profile',
})

const tookMs = Type.Integer()

const ReadSource = Type.Object({
  kind: oneOf(['list', 'page', 'feed']),
  url: Type.String({ description: 'Where it was read, behind redirects' }),
  title: Type.String(),
  items: Type.Array(Type.Object({ name: Type.String(), url: Type.String(), type: Type.Optional(Type.String()) }), {
    description: 'The first items of a list or feed; `list` is the type of further lists',
  }),
  count: Type.Integer({ description: 'Items that were found' }),
  more: Type.Boolean({ description: 'There are more than are shown' }),
  left: Type.String({ description: 'What was left out and why; empty for nothing' }),
  text: Type.String({ description: 'The beginning of the text that would be compared' }),
  feeds: Type.Array(Type.Object({ title: Type.String(), url: Type.String() }), {
    description: 'Feeds that the page offers',
  }),
  screenshot: Type.Optional(Type.String({ description: 'As a data URL' })),
  tookMs,
})

const FailedTry = Type.Object({
  kind: oneOf(['failed']),
  code: Type.String({ description: 'See errors.md; or blocked-by-robots' }),
  message: Type.String({ description: 'Why, in words' }),
  field: oneOf(['uri', 'credentials', 'render'], { description: 'What to change' }),
  tookMs,
})

export const TriedSource = Type.Union([ReadSource, FailedTry])

export const Protocols = Type.Object({
  items: Type.Array(
    Type.Object({
      scheme: Type.String(),
      push: Type.Boolean({ description: 'Its sources can tell of news by themselves' }),
      credentials: oneOf(['none', 'optional', 'required']),
      depth: Type.Boolean({ description: 'Its sources lead to further pages or folders' }),
      browser: Type.Boolean({ description: 'A browser can show its sources' }),
    }),
  ),
})
