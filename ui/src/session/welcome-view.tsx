import './welcome.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Icon, type IconName } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { showToast } from '../kit/toast-store.ts'
import { FormProblem } from './form-problem.tsx'
import { useMe } from './session.ts'

const example = '/profiles/new?url=https%3A%2F%2Fnodejs.org%2Fen%2Fblog&q=release%20security&name=Node.js%20releases'

/** People paste addresses as they see them. */
export function withScheme(address: string): string {
  const trimmed = address.trim()
  return /^[a-z][a-z\d+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`
}

function Way({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <section className="kit-card welcome-way">
      <span className="welcome-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function PasteForm() {
  const [address, setAddress] = useState('')
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => api.post<Profile>('/profiles', { sources: [{ uri: withScheme(address) }] }),
    onSuccess: ({ name }) => {
      for (const key of ['profiles', 'sources', 'counts']) void client.invalidateQueries({ queryKey: [key] })
      showToast(`${name} is watched. You hear of it when it changes.`)
      navigate('/watches')
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form className="kit-form" onSubmit={submit}>
      <Field label="Address of the page">
        <Input
          inputMode="url"
          required
          placeholder="https://example.org/news"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </Field>
      <FormProblem error={add.error} />
      <div>
        <Button type="submit" look="primary" icon="plus" disabled={add.isPending}>
          Watch it
        </Button>
      </div>
    </form>
  )
}

export default function WelcomeView() {
  const { name } = useMe()
  return (
    <Page
      title={name === '' ? 'Three ways in' : `Three ways in, ${name}`}
      lead="Tell what to watch. The first look at a page is taken as the base line; from then on you hear what is new."
    >
      <div className="welcome-ways">
        <Way icon="link" title="Paste an address">
          <p className="soft">Any page, feed or site. It is checked every hour until you say otherwise.</p>
          <PasteForm />
        </Way>
        <Way icon="upload" title="Import what you follow">
          <p className="soft">
            A list of addresses, or the OPML file of a feed reader. What is skipped is told with its reason.
          </p>
          <div>
            <ButtonLink href="/watches?import=1" icon="upload">
              Import a list or OPML
            </ButtonLink>
          </div>
        </Way>
        <Way icon="profiles" title="Look at an example">
          <p className="soft">
            A profile that is filled in: words with weights, on a page with news. Change it, see at once what it would
            have matched, and save it if you like it.
          </p>
          <div>
            <ButtonLink href={example} icon="profiles">
              Open the example
            </ButtonLink>
          </div>
        </Way>
      </div>
      <p className="soft">
        Or see it at work first: <code>npm run demo</code> in a second terminal starts a small paper of its own that
        changes while you watch. It needs no network, and leaves nothing behind.
      </p>
      <p>
        <Link href="/inbox">Not now, take me to the inbox</Link>
      </p>
    </Page>
  )
}
