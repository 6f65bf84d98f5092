"""Warm workers: language servers of Dafny 4.11.0 that stay up between questions.

`framing` cuts the stream into messages, `messages` turns those about one document into a result, `guard` sees that no
process outlives us, `worker` is one server, `pool` is the verifier made of them. The messages have the types of
lsprotocol. The client of pygls is not used: it leaves the server's standard error unread, reads a message of any
length, and knows neither a wall clock nor a bound of memory, which are what a worker is about.
"""
