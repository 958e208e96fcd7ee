/** OpenAI's error body; both of its APIs have the same. */
export const error = (status: number, message: string) => ({
  error: {
    type: status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error",
    code: status === 429 ? "rate_limit_exceeded" : null,
    param: null,
    message
  }
})
