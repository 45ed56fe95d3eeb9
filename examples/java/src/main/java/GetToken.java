import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

/** Calls the example API with a token that is kept until shortly before it expires. */
public final class GetToken {
  /** The next token is fetched this long before expiry: clocks differ and requests take time. */
  private static final Duration REFRESH_BEFORE = Duration.ofMinutes(2);

  private static final int TIMEOUT_MILLISECONDS = 10_000;

  private AccessToken token;
  private Instant refreshAt = Instant.MIN;

  /** Threads that come at once share one request. */
  private synchronized AccessToken accessToken() throws Exception {
    if (Instant.now().isBefore(refreshAt)) return token;
    Instant sentAt = Instant.now();
    token = fetchToken();
    refreshAt = sentAt.plusSeconds(token.getLifetime()).minus(REFRESH_BEFORE);
    return token;
  }

  private static AccessToken fetchToken() throws Exception {
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
    TokenResponse response = TokenResponse.parse(request.send());
    if (!response.indicatesSuccess()) {
      throw new IllegalStateException("no token: " + response.toErrorResponse().toJSONObject());
    }
    return response.toSuccessResponse().getTokens().getAccessToken();
  }

  public static void main(String[] args) throws Exception {
    var tokens = new GetToken();
    var http = HttpClient.newHttpClient();
    String url = System.getenv("EXAMPLE_URL");
    for (int call = 0; call < 2; call++) {
      var request =
          HttpRequest.newBuilder(URI.create(url))
              .header("Authorization", tokens.accessToken().toAuthorizationHeader())
              .build();
      System.out.println("GET " + url + " " + http.send(request, BodyHandlers.discarding()).statusCode());
    }
  }
}
