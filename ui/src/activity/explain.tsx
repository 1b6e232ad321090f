import { type FormEvent, useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { UrlExplanation } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { useExplanation } from './use-activity.ts'

const tones: Record<UrlExplanation['verdict'], BadgeTone> = {
  fetched: 'good',
  queued: 'accent',
  refused: 'warn',
  failed: 'danger',
  'not-covered': 'plain',
  unknown: 'plain',
}

/** For any address: why it was fetched, or why it was not. */
export function Explain() {
  const [url, setUrl] = useQueryState('url')
  const [text, setText] = useState(url)
  useEffect(() => setText(url), [url])
  const query = useExplanation(url)
  function submit(event: FormEvent) {
    event.preventDefault()
    setUrl(text.trim())
  }
  return (
    <>
      <form className="activity-ask" onSubmit={submit}>
        <Field label="Why was this fetched, or not?">
          <Input
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://example.org/news"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary">
          Explain
        </Button>
      </form>
      <div aria-live="polite">
        {url === '' ? null : query.error !== null ? (
          <ErrorState error={query.error} title="It can't be explained">
            Give a whole address, with http:// or https:// in front.
          </ErrorState>
        ) : query.data === undefined ? (
          <LoadingState lines={3} />
        ) : (
          <Answer explanation={query.data} />
        )}
      </div>
    </>
  )
}

function Answer({ explanation: { verdict, sentence, steps, document } }: { explanation: UrlExplanation }) {
  return (
    <div className="activity-answer kit-card">
      <p>
        <Badge tone={tones[verdict]}>{verdict.replace('-', ' ')}</Badge> {sentence}{' '}
        {document !== null && <Link href={`/documents/${document}`}>Open the document</Link>}
      </p>
      <ol className="activity-steps">
        {steps.map(({ name, ok, text }) => (
          <li key={name}>
            <Icon name={ok === null ? 'minus' : ok ? 'check' : 'close'} size={16} />
            <span>
              <span className="only-heard">{ok === null ? 'not known: ' : ok ? 'yes: ' : 'no: '}</span>
              <strong>{name}</strong> <span className="soft">{text}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
