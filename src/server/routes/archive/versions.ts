import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Content } from '../../../services/archive/archive-reader.ts'
import { askerOf, reader } from '../../http/access.ts'
import { attachment, nameOfUrl } from '../../http/attachment.ts'
import { shownTypeOf } from '../../http/content-type.ts'
import { asForeignContent, asForeignPage, asPickerPage } from '../../http/headers.ts'
import type { Api, ServerParts } from '../../parts.ts'
import { pickerPage, pickerScript } from '../../picker/picker-page.ts'
import { IdParams, oneOf, Problem } from '../../schemas/common.ts'
import { Version } from '../../schemas/documents.ts'

const tags = ['documents']
const params = IdParams

const bytesOf = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })

export function addVersions(api: Api, { archive }: Pick<ServerParts, 'archive'>): void {
  api.get(
    '/versions/:id',
    { config: reader, schema: { tags, summary: 'A version', params, response: { 200: Version, '4xx': Problem } } },
    async (request) => archive.version({ ...askerOf(request), id: request.params.id }),
  )

  api.get(
    '/versions/:id/content',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get the archived body; pages reach no other site and run no scripts',
        params,
        querystring: Type.Object({
          download: Type.Optional(Type.String({ maxLength: 10, description: 'Download the original bytes' })),
          pick: Type.Optional(
            oneOf(['1'], { description: '1: a page in which a part can be chosen, for the frame of our own pages' }),
          ),
        }),
        response: {
          200: { description: 'The body', content: { '*/*': { schema: bytesOf } } },
          '4xx': Problem,
        },
      },
    },
    async (request, reply) => {
      const { download } = request.query
      const isSaved = download !== undefined && download !== 'false' && download !== '0'
      const asked = { ...askerOf(request), version: request.params.id }
      const content = await archive.content({ ...asked, form: isSaved ? 'original' : 'shown' })
      if (request.query.pick === '1' && !isSaved && content.form.kind === 'html') {
        asPickerPage(reply, pickerScript).type('text/html; charset=utf-8')
        return pickerPage(content.bytes)
      }
      const type = isSaved ? null : shownTypeOf(content.form)
      const asShown = !isSaved && content.form.kind === 'html' ? asForeignPage : asForeignContent
      asShown(reply).type(type ?? 'application/octet-stream')
      if (type === null) reply.header('content-disposition', attachment(nameOf(content)))
      keep(reply, `${asked.version}-${isSaved ? 'original' : 'inert'}`)
      return Buffer.from(content.bytes.buffer)
    },
  )

  api.get(
    '/versions/:id/text',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get the visible text of a version',
        params,
        response: { 200: { description: 'Text', content: { 'text/plain': { schema: bytesOf } } }, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { bytes } = await archive.text({ ...askerOf(request), version: request.params.id })
      asForeignContent(reply).type('text/plain; charset=utf-8')
      keep(reply, `${request.params.id}-text`)
      return Buffer.from(bytes.buffer)
    },
  )

  api.get(
    '/versions/:id/markdown',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a version as Markdown: headings, lists, tables, code and links with whole addresses',
        params,
        querystring: Type.Object({
          part: Type.Optional(
            oneOf(['main', 'page'], {
              description: 'page: with navigation and all else that surrounds the text; default: main',
            }),
          ),
        }),
        response: {
          200: { description: 'Markdown', content: { 'text/markdown': { schema: bytesOf } } },
          '4xx': Problem,
        },
      },
    },
    async (request, reply) => {
      const { part = 'main' } = request.query
      const { bytes } = await archive.markdown({ ...askerOf(request), version: request.params.id, part })
      asForeignContent(reply).type('text/markdown; charset=utf-8')
      keep(reply, `${request.params.id}-markdown-${part}`)
      return Buffer.from(bytes.buffer)
    },
  )
}

/** Sets an ETag without computing one, since a version never changes; who may see it does. */
function keep(reply: FastifyReply, tag: string): void {
  reply.header('etag', `"${tag}"`)
}

function nameOf({ url, type }: Content): string {
  return nameOfUrl(url, type)
}
