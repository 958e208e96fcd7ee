import { connect } from "node:net"
import { assert, describe, it } from "vitest"
import { text, toolCall } from "../../examples/replay/answer.ts"
import type { Step } from "../../examples/replay/script.ts"
import { replay, type ReplayOptions } from "../../examples/replay/server.ts"

const apis = ["/v1/messages", "/v1/responses", "/v1/chat/completions"] as const
const answer = { parts: [text("Let me look."), toolCall("call_1", "lookup", { key: "alpha" })] }

const ask = async (options: ReplayOptions, path: string, stream: boolean) => {
  await using server = await replay(options)
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m-1", stream })
  })
  // Read chunk by chunk, so that what came before the connection died is kept.
  let body = ""
  let died = false
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) body += chunk
  } catch {
    died = true
  }
  return { status: response.status, headers: response.headers, body, died, requests: server.requests }
}

const dataLines = (body: string) => body.split("\n").filter((line) => line.startsWith("data: "))
const unparsed = (body: string) =>
  dataLines(body).map((line) => line.slice("data: ".length)).filter((data) => {
    if (data === "[DONE]") return false
    try {
      JSON.parse(data)
      return false
    } catch {
      return true
    }
  })

describe.each(apis)("replay of %s", (path) => {
  it("answers with one body, or with events when asked for a stream", async () => {
    const plain = await ask({ script: [answer] }, path, false)
    assert.include(plain.headers.get("content-type"), "application/json")
    assert.include(plain.body, "call_1")
    assert.strictEqual(JSON.parse(plain.body).model, "m-1")

    const streamed = await ask({ script: [answer] }, path, true)
    assert.include(streamed.headers.get("content-type"), "text/event-stream")
    assert.isAbove(dataLines(streamed.body).length, 5)
    assert.deepEqual(unparsed(streamed.body), [])
    assert.isFalse(streamed.died)
  })

  it("records each request", async () => {
    const { requests } = await ask({ script: [answer] }, path, true)
    assert.deepEqual(requests.map(({ body, number, path, stream }) => ({ body, number, path, stream })), [
      { number: 1, path, stream: true, body: { model: "m-1", stream: true } }
    ])
  })

  it("cuts the connection after so many events", async () => {
    const { body, died } = await ask({ script: [answer], fault: { type: "cut", after: 3 } }, path, true)
    assert.isTrue(died)
    assert.lengthOf(dataLines(body), 3)
  })

  it("cuts the connection in the middle of a body", async () => {
    const whole = await ask({ script: [answer] }, path, false)
    const { body, died } = await ask({ script: [answer], fault: { type: "cut", after: 0 } }, path, false)
    assert.isTrue(died)
    assert.isBelow(body.length, whole.body.length)
  })

  it("breaks the JSON of one event and goes on", async () => {
    const whole = await ask({ script: [answer] }, path, true)
    const { body, died } = await ask({ script: [answer], fault: { type: "malformed", at: 2 } }, path, true)
    assert.isFalse(died)
    assert.lengthOf(unparsed(body), 1)
    assert.strictEqual(dataLines(body).length, dataLines(whole.body).length)
  })

  it("breaks the JSON of a body", async () => {
    const { body, died } = await ask({ script: [answer], fault: { type: "malformed", at: 0 } }, path, false)
    assert.isFalse(died)
    assert.throws(() => JSON.parse(body))
  })

  it("takes its time", async () => {
    const fault = { type: "slow", before: 60, between: 15 } as const
    const before = performance.now()
    const { body } = await ask({ script: [answer], fault }, path, true)
    // A timer of Node may fire up to a millisecond early.
    const least = (fault.before - 1) + (dataLines(body).length - 1) * (fault.between - 1)
    assert.isAtLeast(performance.now() - before, least)
  })

  it("refuses with 429 and retry-after, then answers", async () => {
    await using server = await replay({ script: [{ refuse: 429, retryAfter: 2 }, answer] })
    const post = () => fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify({ model: "m-1" }) })
    const refused = await post()
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers.get("retry-after"), "2")
    assert.include(JSON.stringify(await refused.json()), "rate_limit")
    assert.strictEqual((await post()).status, 200)
  })

  it("says that it is overloaded with 529", async () => {
    const { body, headers, status } = await ask({ script: [{ refuse: 529 }] }, path, true)
    assert.strictEqual(status, 529)
    assert.isNull(headers.get("retry-after"))
    assert.property(JSON.parse(body), "error")
  })

  it("sends events as they stand, and can let the socket die after them", async () => {
    const step: Step = { events: [{ event: "odd", data: { a: 1 } }, { b: 2 }, "[DONE]"], ending: "destroy" }
    const { body, died } = await ask({ script: [step] }, path, true)
    assert.strictEqual(body, "event: odd\ndata: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n\n")
    assert.isTrue(died)
  })

  it("says so when the script has no more steps", async () => {
    const { body, status } = await ask({ script: [] }, path, false)
    assert.strictEqual(status, 400)
    assert.include(body, "The script has 0 steps, and this is request 1.")
  })
})

describe("replay", () => {
  it("lets a function pick the step", async () => {
    const { body } = await ask({ script: (request) => ({ body: { got: request.body["model"] } }) }, apis[0], false)
    assert.strictEqual(body, "{\"got\":\"m-1\"}")
  })

  it("answers 404 where no API is and 400 to what is no JSON", async () => {
    await using server = await replay({ script: [answer] })
    assert.strictEqual((await fetch(`${server.url}/v1/nothing`, { method: "POST", body: "{}" })).status, 404)
    assert.strictEqual((await fetch(`${server.url}${apis[0]}`)).status, 404)
    assert.strictEqual((await fetch(`${server.url}${apis[0]}`, { method: "POST", body: "{" })).status, 400)
    assert.lengthOf(server.requests, 0)
  })

  it("writes each event on its own", async () => {
    await using server = await replay({ script: [answer] })
    const request = `POST ${
      apis[0]
    } HTTP/1.1\r\nHost: replay\r\nConnection: close\r\nContent-Length: 15\r\n\r\n{"stream":true}`
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(request))
    let received = ""
    for await (const bytes of socket.setEncoding("utf8")) received += bytes
    // In chunked encoding each write is one chunk: its size in hexadecimal, a line end, the bytes, a line end.
    const chunks = received.split("\r\n\r\n").slice(1).join("\r\n\r\n").split("\r\n")
      .filter((_, index) => index % 2 === 1)
      .filter((chunk) => chunk !== "")
    assert.isAbove(chunks.length, 5)
    assert.deepEqual(chunks.map((chunk) => dataLines(chunk).length), chunks.map(() => 1))
  })
})
