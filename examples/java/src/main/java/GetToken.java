import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Calls the example API with a token that is kept until shortly before it expires. */
public final class GetToken {
  /** The next token is requested this long before expiry: clocks differ and requests take time. */
  private static final Duration RENEW_BEFORE = Duration.ofMinutes(1);

  private static final int TIMEOUT_MILLISECONDS = 10_000;

  private record Kept(AccessToken token, Instant renewAt) {}

  private final HttpClient http = HttpClient.newHttpClient();
  private CompletableFuture<Kept> kept = new CompletableFuture<>();

  public GetToken() {
    kept.cancel(false);
  }

  /** Threads that come at once share one request. */
  private AccessToken accessToken(AccessToken refused) {
    CompletableFuture<Kept> coming;
    synchronized (this) {
      if (kept.isDone() && !isUsable(refused)) {
        kept = CompletableFuture.supplyAsync(GetToken::requestToken);
      }
      coming = kept;
    }
    return coming.join().token();
  }

  private boolean isUsable(AccessToken refused) {
    if (kept.isCompletedExceptionally()) return false;
    var found = kept.join();
    return !found.token().equals(refused) && Instant.now().isBefore(found.renewAt());
  }

  private static Kept requestToken() {
    try {
      Instant sentAt = Instant.now();
      TokenResponse response = TokenResponse.parse(sendPatiently());
      if (!response.indicatesSuccess()) {
        throw new IllegalStateException("no token: " + response.toErrorResponse().toJSONObject());
      }
      AccessToken token = response.toSuccessResponse().getTokens().getAccessToken();
      return new Kept(token, sentAt.plusSeconds(token.getLifetime()).minus(RENEW_BEFORE));
    } catch (java.io.IOException | com.nimbusds.oauth2.sdk.ParseException error) {
      throw new IllegalStateException("no token", error);
    }
  }

  /** Waits once for as long as Retry-After of a 429 or 503 says. Each other response is final. */
  private static HTTPResponse sendPatiently() throws java.io.IOException {
    HTTPResponse response = tokenRequest().send();
    if (response.getStatusCode() != 429 && response.getStatusCode() != 503) return response;
    String seconds = response.getHeaderValue("Retry-After");
    try {
      Thread.sleep(Duration.ofSeconds(seconds == null ? 1 : Long.parseLong(seconds)).toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return response;
    }
    return tokenRequest().send();
  }

  private static HTTPRequest tokenRequest() {
    var client =
        new ClientSecretBasic(
            new ClientID(System.getenv("CLIENT_ID")), new Secret(System.getenv("CLIENT_SECRET")));
    HTTPRequest request =
        new TokenRequest.Builder(
                URI.create(System.getenv("TOKEN_URL")), client, new ClientCredentialsGrant())
            .scope(new Scope("messaging:view"))
            .build()
            .toHTTPRequest();
    request.setConnectTimeout(TIMEOUT_MILLISECONDS);
    request.setReadTimeout(TIMEOUT_MILLISECONDS);
    return request;
  }

  /** Calls an API with the token, and once more with a new one after 401. */
  public HttpResponse<String> callApi(String url) throws Exception {
    AccessToken token = accessToken(null);
    var response = call(url, token);
    return response.statusCode() == 401 ? call(url, accessToken(token)) : response;
  }

  private HttpResponse<String> call(String url, AccessToken token) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Authorization", token.toAuthorizationHeader())
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  public static void main(String[] args) throws Exception {
    var api = new GetToken();
    String url = System.getenv("EXAMPLE_URL");
    for (int call = 0; call < 2; call++) {
      System.out.println("GET " + url + " " + api.callApi(url).statusCode());
    }
  }
}
