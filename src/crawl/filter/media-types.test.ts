import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createMediaTypes, defaultMediaTypes, parseMimeTypes } from './media-types.ts'

describe('media types', () => {
  it('are compared case-insensitively and without parameters', () => {
    const types = createMediaTypes(defaultMediaTypes)
    for (const header of [
      'text/html',
      'Text/HTML; charset=utf-8',
      ' application/pdf ',
      'text/html;charset="a,b"',
      'image/png, text/html',
    ]) {
      assert.equal(types.acceptsMediaType(header), true, header)
    }
    for (const header of ['image/png', 'application/octet-stream', 'text/css', 'text/html, image/png', 'text/htmlx']) {
      assert.equal(types.acceptsMediaType(header), false, header)
    }
  })

  it('are read from a list that may contain wildcards', () => {
    const types = parseMimeTypes('# ours\ntext/*\napplication/PDF')
    assert.equal(types.acceptsMediaType('text/css'), true)
    assert.equal(types.acceptsMediaType('application/pdf'), true)
    assert.equal(types.acceptsMediaType('application/json'), false)
    assert.equal(parseMimeTypes('*/*').acceptsMediaType('video/mp4'), true)
  })

  it("are read from Apache's mime.types format, with and without suffixes", () => {
    const types = parseMimeTypes('\ufeff# types\r\ntext/html\t\thtml htm\r\nimage/PNG .PNG\n  application/x-y # none\n')
    assert.deepEqual([...types.suffixes], ['html', 'htm', 'png'])
    for (const type of ['text/html', 'image/png', 'application/x-y']) assert.equal(types.acceptsMediaType(type), true)
    assert.equal(types.acceptsMediaType('text/plain'), false)
    assert.throws(
      () => parseMimeTypes('text/html html ../x\nhtml text/html\n'),
      (error) => isAppError(error, 'file-invalid') && /line 1: no file suffix: .*line 2: no media/s.test(error.message),
    )
  })

  it('count as HTML if missing or malformed', () => {
    for (const header of [undefined, '', 'html', 'text/', '/', ';', '*/*', 'a b/c']) {
      assert.equal(createMediaTypes(defaultMediaTypes).acceptsMediaType(header), true, header)
      assert.equal(createMediaTypes(['application/pdf']).acceptsMediaType(header), false, header)
    }
  })

  it('report all invalid lines together', () => {
    assert.throws(
      () => parseMimeTypes('text/html\nhtml\n*/html\ntext/h*\n'),
      (error) => isAppError(error, 'file-invalid') && /line 2: .*line 3: .*line 4: /s.test(error.message),
    )
  })
})
