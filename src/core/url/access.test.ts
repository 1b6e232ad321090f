import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessOf, credentialsId, isOpen, openAccess, withAccess, withoutAccess } from './access.ts'

describe('access', () => {
  const id = credentialsId('ann@example.org', 'work')

  test('is read back as it was written, for each program and each user', () => {
    for (const url of ['https://example.org/a?b', 'imap://mail.example:143/INBOX', 'ftp://[::1]/~ann@home/x'])
      for (const access of [
        openAccess,
        { render: 'browser', credentials: '' },
        { render: 'http', credentials: id },
        { render: 'browser', credentials: id },
      ] as const) {
        const written = withAccess(url, access)
        assert.deepEqual(accessOf(written), access)
        assert.equal(withoutAccess(written), url)
        assert.equal(isOpen(written), access === openAccess)
        assert.equal(new URL(written).pathname, new URL(url).pathname)
      }
  })

  test('is open for what has no host', () => {
    assert.equal(withAccess('file:///srv/x', { render: 'http', credentials: id }), 'file:///srv/x')
  })

  test('differs from name to name and from owner to owner', () => {
    assert.notEqual(id, credentialsId('ann@example.org', 'home'))
    assert.notEqual(id, credentialsId('bob@example.org', 'work'))
    assert.equal(credentialsId('ann@example.org', ''), '')
  })

  test('is nothing but what was written here', () => {
    for (const url of ['https://ann@example.org/', 'https://~ann@example.org/', 'https://example.org/~b@x'])
      assert.deepEqual([accessOf(url), withoutAccess(url)], [openAccess, url])
  })
})
