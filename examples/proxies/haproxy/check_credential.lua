-- Asks forward-auth about the credential of a request:
--   http-request lua.check_credential messaging:view
-- The request goes on only after a 200. Everything else ends it here.

local check_url = "http://127.0.0.1:9100/verify/"

-- Milliseconds; a little longer than the check's own limit of 2.5 s. HAProxy 2.6 asks a check that
-- hangs four times, newer ones as often as `httpclient.retries` says.
local timeout = 3000

local caller_headers = {
    "x-auth-credential",
    "x-auth-client-id",
    "x-auth-scope",
    "x-auth-service-trunk-group",
    "x-auth-issuer",
    "x-auth-key-id",
}

-- What the caller gets of a refusal.
local refusal_headers = { "content-type", "www-authenticate", "retry-after" }
local refusals = { [400] = true, [401] = true, [403] = true, [503] = true }

local unavailable = '{"error":"temporarily_unavailable",'
    .. '"error_description":"the credential cannot be checked for now, try again later"}'

-- HAProxy counts the values of a header from 0.
local function values(headers, name)
    local found = {}
    local received = headers and headers[name]
    if received then
        local index = 0
        while received[index] do
            found[#found + 1] = received[index]
            index = index + 1
        end
    end
    return found
end

local function refuse(txn, status, headers, body)
    local reply = txn:reply({ status = status, body = body })
    reply:add_header("cache-control", "no-store")
    for _, name in ipairs(refusal_headers) do
        for _, value in ipairs(values(headers, name)) do
            reply:add_header(name, value)
        end
    end
    txn:done(reply)
end

local function ask(txn, scopes)
    local headers = {
        ["x-real-ip"] = { txn.f:src() },
        -- What was asked, for proofs (DPoP). No other header of the client is sent.
        ["x-original-method"] = { txn.f:method() },
        ["x-original-uri"] = { txn.f:pathq() },
    }
    local received = txn.http:req_get_headers()
    for _, name in ipairs({ "authorization", "dpop", "traceparent" }) do
        local sent = values(received, name)
        if #sent > 0 then
            headers[name] = sent
        end
    end
    local client = core.httpclient()
    return client:get({ url = check_url .. scopes, headers = headers, timeout = timeout })
end

local function check_credential(txn, scopes)
    local asked, response = pcall(ask, txn, scopes)
    if not asked or not response or not refusals[response.status] and response.status ~= 200 then
        refuse(txn, 503, { ["content-type"] = { [0] = "application/json" }, ["retry-after"] = { [0] = "5" } }, unavailable)
        return
    end
    if response.status ~= 200 then
        refuse(txn, response.status, response.headers, response.body)
        return
    end
    for _, name in ipairs(caller_headers) do
        local value = values(response.headers, name)[1]
        txn.http:req_del_header(name)
        if value and value ~= "" then
            txn.http:req_set_header(name, value)
        end
    end
end

core.register_action("check_credential", { "http-req" }, check_credential, 1)
